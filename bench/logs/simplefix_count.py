#!/usr/bin/env python3
"""Counts the messages with one field value in a log, with the parser of simplefix.

Usage: simplefix_count.py FILE TAG VALUE
"""
import sys

import simplefix


def main():
    path, tag, value = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
    parser = simplefix.FixParser()
    count = 0
    with open(path, 'rb') as log:
        for line in log:
            parser.append_buffer(line[line.index(b'8=FIX'):].rstrip(b'\n'))
            message = parser.get_message()
            count += message.get(tag) == value
    print(count)


if __name__ == '__main__':
    main()
