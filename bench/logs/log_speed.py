#!/usr/bin/env python3
"""Measures `nexusfix grep`, `decode`, `stats` and `export` on a log of 1 GB, next to others.

Usage: log_speed.py NEXUSFIX [--megabytes N] [--repeat N] [--folder FOLDER] [--quickfix PROGRAM]
       [--rows REGEX]

Runs all rows in turn, `--repeat` times: a machine that becomes slower disturbs all of them. Prints
the median CPU time of all threads, megabytes a second of it, the median elapsed time, and
megabytes a second of that. CPU time is that of one core in rows of one thread: other programs of
the machine disturb it less. Compare the elapsed time of rows with all cores. Output goes into a
pipe, which costs the writer a copy; in the row "to /dev/null" it does not. All answers of a row
must be the same in each run. A row of the capture has the median of its ratios to the log's row in
the same round. A file system whose cache has large pages, such as ext4, gives the
bytes in less time than /dev/shm.
"""
import argparse
import importlib.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

SOH = '\x01'
MAKE_LOG = Path(__file__).resolve().parent / 'make_log.py'
SMALL_MEGABYTES = 10
# Ten columns.
EXPORTED = ('MsgType,MsgSeqNum,SenderCompID,SendingTime,ClOrdID,Symbol,Side,OrderQty,Price,'
            'OrdStatus')
SIMPLEFIX = Path(__file__).resolve().parent / 'simplefix_count.py'


NO_PIPE = ', to /dev/null'
IN_CAPTURE = ' in the capture'


def cpu_seconds(command, has_pipe=True):
    """The user and system time of a command, its output, its peak memory in bytes, and the elapsed
    time."""
    begin = time.monotonic()
    process = subprocess.Popen(command,
                               stdout=subprocess.PIPE if has_pipe else subprocess.DEVNULL)
    size = 0
    first = b''
    while chunk := process.stdout.read(1 << 20) if has_pipe else b'':
        first = first or chunk[:64]
        size += len(chunk)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return (usage.ru_utime + usage.ru_stime, (first.split(b'\n')[0], size),
            usage.ru_maxrss * 1024, time.monotonic() - begin)


def has_export(nexusfix):
    """Whether the command was built with Arrow."""
    done = subprocess.run([nexusfix, 'export', '--arrow', os.devnull, os.devnull],
                          capture_output=True, check=False)
    return b'nexusfix-arrow' not in done.stderr


def warm(log):
    """Reads the log into the cache of the system."""
    with open(log, 'rb') as file:
        while file.read(1 << 20):
            pass


def rows(nexusfix, log, capture):
    """Name and command of each row."""
    grep = [nexusfix, 'grep', '-c']
    # In the capture: the same messages, and MB/s count the log's bytes.
    yield 'grep MsgType=D', [*grep, 'MsgType=D', log]
    yield 'grep MsgType=D' + IN_CAPTURE, [*grep, 'MsgType=D', capture]
    yield 'grep ClOrdID=ORDAZ00000777', [*grep, 'ClOrdID=ORDAZ00000777', log]
    yield 'grep Symbol=NESN', [*grep, 'Symbol=NESN', log]
    yield 'grep Symbol=NESN' + IN_CAPTURE, [*grep, 'Symbol=NESN', capture]
    yield 'grep Price>390', [*grep, 'Price>390', log]
    yield 'grep NoPartyIDs.PartyID=TRADER7', [*grep, 'NoPartyIDs.PartyID=TRADER7', log]
    yield 'decode --ndjson', [nexusfix, 'decode', '--ndjson', log]
    yield 'decode --ndjson' + NO_PIPE, [nexusfix, 'decode', '--ndjson', log]
    yield 'grep MsgType=D, all cores', [*grep, '-j', '0', 'MsgType=D', log]
    yield 'grep Symbol=NESN, all cores', [*grep, '-j', '0', 'Symbol=NESN', log]
    yield 'grep Price>390, all cores', [*grep, '-j', '0', 'Price>390', log]
    yield 'decode --ndjson, all cores', [nexusfix, 'decode', '--ndjson', '-j', '0', log]
    yield 'decode --csv', [nexusfix, 'decode', '--csv', log]
    yield 'stats', [nexusfix, 'stats', log]
    yield 'stats' + IN_CAPTURE, [nexusfix, 'stats', capture]
    for form in ('parquet', 'arrow') if has_export(nexusfix) else ():
        export = [nexusfix, 'export', '--fields', EXPORTED, f'--{form}', os.devnull]
        yield f'export --{form}, 10 columns', [*export, log]
        yield f'export --{form}, all cores', [*export, '-j', '0', log]
    if ripgrep := shutil.which('rg'):
        count = [ripgrep, '-a', '-c']
        yield 'ripgrep MsgType=D', [*count, f'{SOH}35=D{SOH}', log]
        yield 'ripgrep ClOrdID=ORDAZ00000777', [*count, f'{SOH}11=ORDAZ00000777{SOH}', log]
        yield 'ripgrep Symbol=NESN', [*count, f'{SOH}55=NESN{SOH}', log]
        yield 'ripgrep Price>390', [*count, f'{SOH}44=(39[0-9]|[4-9][0-9][0-9])', log]


def parser_rows(nexusfix, log, quickfix):
    """Parsers that would take minutes: a smaller log."""
    yield 'grep Symbol=NESN, small log', [nexusfix, 'grep', '-c', 'Symbol=NESN', log]
    if quickfix:
        yield 'QuickFIX Symbol=NESN, small log', [quickfix, log, '55', 'NESN']
    if importlib.util.find_spec('simplefix'):
        yield 'simplefix Symbol=NESN, small log', [sys.executable, SIMPLEFIX, log, '55', 'NESN']


def made_log(folder, megabytes):
    log = Path(folder) / f'speed-{megabytes}.log'
    if not log.exists():
        subprocess.run([sys.executable, MAKE_LOG, log, str(megabytes)], check=True)
    warm(log)
    return log


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('nexusfix')
    parser.add_argument('--megabytes', type=int, default=1000)
    parser.add_argument('--repeat', type=int, default=5)
    parser.add_argument('--folder', default='build')
    parser.add_argument('--quickfix', help='the program quickfix_count')
    parser.add_argument('--rows', default='', help='a regular expression: only rows with it')
    options = parser.parse_args()
    log = made_log(options.folder, options.megabytes)
    small_log = made_log(options.folder, SMALL_MEGABYTES)
    capture = log.with_suffix('.pcap')
    if not capture.exists():
        subprocess.run([sys.executable, MAKE_LOG, capture, '--of', log], check=True)
    warm(capture)
    all_rows = [(log, *row) for row in rows(options.nexusfix, str(log), str(capture))]
    all_rows += [(small_log, *row)
                 for row in parser_rows(options.nexusfix, str(small_log), options.quickfix)]
    all_rows = [row for row in all_rows if re.search(options.rows, row[1])]
    print(f'{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}')
    print(f'{"row":34} {"s":>7} {"MB/s":>7} {"elapsed":>8} {"MB/s":>7} {"memory":>7}  answer')
    runs = {name: [] for _, name, _ in all_rows}
    for _ in range(options.repeat):
        for _, name, command in all_rows:
            runs[name].append(cpu_seconds(command, not name.endswith(NO_PIPE)))
    for file, name, _ in all_rows:
        print_row(name, file.stat().st_size / 1e6, runs)


def print_row(name, megabytes, runs):
    times, answers, peaks, elapsed = zip(*runs[name])
    if len(set(answers)) != 1:
        sys.exit(f'{name}: the answers differ: {set(answers)}')
    answer, size = answers[0]
    shown = answer.decode(errors='replace') if size < 64 else f'{size:,} bytes'
    whole = runs.get(name.removesuffix(IN_CAPTURE))
    if name.endswith(IN_CAPTURE) and whole:
        ratio = statistics.median(log[0] / own for log, own in zip(whole, times))
        shown += f'  {ratio:.2f} x'
    median, waited = statistics.median(times), statistics.median(elapsed)
    print(f'{name:34} {median:7.3f} {megabytes / median:7.0f} {waited:8.3f} '
          f'{megabytes / waited:7.0f} {max(peaks) / 1e6:4.0f} MB  {shown}', flush=True)


if __name__ == '__main__':
    main()
