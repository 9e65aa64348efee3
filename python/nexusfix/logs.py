"""Logs as tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nexusfix._core import Dictionary, LogQuery

if TYPE_CHECKING:
    import polars

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Progress = Callable[[int, int], object]


class Log:
    """The messages of logs as a table, or what they add up to: read_log(), orders() and the others
    make it. It reads when it is asked for rows.

    Whatever takes a stream of Arrow by `__arrow_c_stream__` takes this object. Each use reads the
    logs from their begin.
    """

    def __init__(self, query: LogQuery) -> None:
        self._query = query

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._query.stream()

    def batches(self) -> Iterator[Any]:
        """The rows as pyarrow.RecordBatch, each read when it is asked for."""
        with self._raising():
            yield from self._reader()

    def to_arrow(self) -> Any:
        """All rows as a pyarrow.Table."""
        with self._raising():
            return self._reader().read_all()

    def to_polars(self) -> polars.DataFrame:
        """All rows."""
        import polars

        with self._raising():
            return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """All rows as a pandas.DataFrame with the types of Arrow, so that decimals are exact."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return self.to_arrow().to_pandas(types_mapper=pandas.ArrowDtype)

    def to_parquet(self, path: str | os.PathLike[str]) -> int:
        """Writes a file, batch after batch. Returns the number of rows. Needs pyarrow."""
        import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]

        reader = self._reader()
        with (self._raising(),
              pyarrow.parquet.ParquetWriter(path, reader.schema, compression="zstd") as writer):
            for batch in reader:
                writer.write_batch(batch)
        return self._query.rows

    @property
    def rows_read(self) -> int:
        """The rows that the last use has read so far, also while another thread reads."""
        return self._query.rows

    @property
    def bytes_read(self) -> int:
        """The bytes of messages that the last use has read so far."""
        return self._query.bytes

    @property
    def values_of_another_type(self) -> int:
        """The values that are not of the type of their column, and are null in it."""
        return self._query.misfits

    @contextmanager
    def _raising(self) -> Iterator[None]:
        """An exception of the progress callback or of a signal, in place of the error that Arrow
        makes of it."""
        try:
            yield
        except Exception as error:
            raised = self._query.raised
            if raised is None or raised is error:
                raise
            raise raised from None

    def _reader(self) -> Any:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        return pyarrow.RecordBatchReader.from_stream(self)


def read_log(paths: Paths, where: str = "", fields: Iterable[str | int] = (), *,
             dictionary: Dictionary | None = None, names: bool = False,
             batch_rows: int = 32768, progress: Progress | None = None) -> Log:
    """The messages of files as a table.

    paths: logs, archives, captures, hex dumps, and folders of journals, as `nexusfix grep` reads
    them. where: the expression of `nexusfix grep`, such as "MsgType=8 and Symbol~'AAPL'".
    fields: names or tags; none: the usual fields of orders, and the parties. dictionary: its names
    come before those of the standard. names: enumerated fields have the names of their values.
    batch_rows: the rows of a batch, at most. progress: is called with the rows and the bytes so
    far, after each batch; what it raises ends the reading.

    Raises OSError for a path that cannot be read, FixError for the expression, and FieldNameError
    for a field.
    """
    return _log("messages", paths, where, fields, dictionary, names, batch_rows, progress)


def orders(paths: Paths, *, dictionary: Dictionary | None = None, names: bool = False,
           progress: Progress | None = None) -> Log:
    """The lives of the orders in logs, a row each, as `nexusfix order` follows one of them.

    Columns: session, sender, target (of the requests), cl_ord_id (the first), last_cl_ord_id,
    order_id, symbol, side, order_qty, price; the computed state: ord_status, cum_qty, leaves_qty,
    avg_px; fills, a list of time, exec_id, last_qty and last_px; first_time, answer_time (of the
    first report or reject), first_fill_time, last_time, and the times since the first:
    answer_ns, first_fill_ns, life_ns, which are null if the log lacks the new order; messages,
    disagreements (of reports with the state), open_requests, begins_before_the_log, file,
    byte_offset (of the first message).

    Several logs are read together, in the order of time, so that the logs of both sides give an
    order once. An order takes some 3 KB of memory. names and progress: as of read_log().

    >>> import nexusfix
    >>> nexusfix.orders([]).to_arrow().num_rows
    0
    """
    return _log("orders", paths, "", (), dictionary, names, 32768, progress)


def latencies(paths: Paths, where: str = "", *, dictionary: Dictionary | None = None,
              progress: Progress | None = None) -> Log:
    """The times from requests to their first answers, a row each, the longest first.

    Columns: request ("order", "cancel" or "replace"), cl_ord_id, sender, target, time (of the
    request), latency_ns, and the places of both: file, byte_offset, answer_file,
    answer_byte_offset. They are those of which `nexusfix stats` has the percentiles: read the log
    of one side. where: only requests that it selects.

    >>> import nexusfix
    >>> nexusfix.latencies([]).to_arrow().column_names[:3]
    ['request', 'cl_ord_id', 'sender']
    """
    return _log("latencies", paths, where, (), dictionary, False, 32768, progress)


def gaps(paths: Paths, where: str = "", *, dictionary: Dictionary | None = None,
         progress: Progress | None = None) -> Log:
    """The gaps of MsgSeqNum as `nexusfix stats` finds them, a row each.

    Columns: sender, target, first, last (the numbers of the gap), missing (those that never came),
    time, file and byte_offset (of the message after the gap), closed (when the last number came).

    >>> import nexusfix
    >>> nexusfix.gaps([]).to_arrow().num_rows
    0
    """
    return _log("gaps", paths, where, (), dictionary, False, 32768, progress)


def rejects(paths: Paths, where: str = "", *, dictionary: Dictionary | None = None,
            progress: Progress | None = None) -> Log:
    """Rejects by reason as `nexusfix stats` counts them, the most frequent first.

    Columns: kind ("Reject", "BusinessMessageReject", "order rejected", "cancel rejected"), reason,
    reason_name, text, count, and of the first one: first_id (the ClOrdID or MsgSeqNum that it
    rejects), file, byte_offset, rejected_file, rejected_byte_offset.

    >>> import nexusfix
    >>> nexusfix.rejects([]).to_arrow().num_rows
    0
    """
    return _log("rejects", paths, where, (), dictionary, False, 32768, progress)


def _log(kind: str, paths: Paths, where: str, fields: Iterable[str | int],
         dictionary: Dictionary | None, names: bool, batch_rows: int,
         progress: Progress | None) -> Log:
    if batch_rows < 1:
        raise ValueError("batch_rows is 1 or more")
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    listed = [os.fspath(path) for path in paths]
    for path in listed:
        os.stat(path)
    listed = ["./-" if path == "-" else path for path in listed]  # no standard input
    return Log(LogQuery(kind, listed, where, ",".join(map(str, fields)), dictionary, names,
                        batch_rows, progress))
