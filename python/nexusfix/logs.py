"""Logs as tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from nexusfix._core import Dictionary, LogQuery

if TYPE_CHECKING:
    import polars

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Log:
    """The messages of logs as a table: read_log() makes it. It reads when it is asked for rows.

    Whatever takes a stream of Arrow by `__arrow_c_stream__` takes this object. Each use reads the
    logs from their begin.
    """

    def __init__(self, query: LogQuery) -> None:
        self._query = query

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._query.stream()

    def batches(self) -> Iterator[Any]:
        """The rows as pyarrow.RecordBatch, each read when it is asked for."""
        return iter(self._reader())

    def to_arrow(self) -> Any:
        """All rows as a pyarrow.Table."""
        return self._reader().read_all()

    def to_polars(self) -> polars.DataFrame:
        """All rows."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """All rows as a pandas.DataFrame with the types of Arrow, so that decimals are exact."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return self.to_arrow().to_pandas(types_mapper=pandas.ArrowDtype)

    def to_parquet(self, path: str | os.PathLike[str]) -> int:
        """Writes a file, batch after batch. Returns the number of rows. Needs pyarrow."""
        import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]

        reader = self._reader()
        with pyarrow.parquet.ParquetWriter(path, reader.schema, compression="zstd") as writer:
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

    def _reader(self) -> Any:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        return pyarrow.RecordBatchReader.from_stream(self)


def read_log(paths: Paths, where: str = "", fields: Iterable[str | int] = (), *,
             dictionary: Dictionary | None = None, names: bool = False,
             batch_rows: int = 32768) -> Log:
    """The messages of files as a table.

    paths: logs, archives, captures, hex dumps, and folders of journals, as `nexusfix grep` reads
    them. where: the expression of `nexusfix grep`, such as "MsgType=8 and Symbol~'AAPL'".
    fields: names or tags; none: the usual fields of orders, and the parties. dictionary: its names
    come before those of the standard. names: enumerated fields have the names of their values.
    batch_rows: the rows of a batch, at most.

    Raises OSError for a path that cannot be read, FixError for the expression, and FieldNameError
    for a field.
    """
    if batch_rows < 1:
        raise ValueError("batch_rows is 1 or more")
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    listed = [os.fspath(path) for path in paths]
    for path in listed:
        os.stat(path)
    return Log(LogQuery(listed, where, ",".join(map(str, fields)), dictionary, names, batch_rows))
