"""Keeps what a process prints out of its log once it has received values of data subjects: erasing a data subject could
not reach them there. Imported before the customer's code. node/silence.mjs does the same.
"""

import logging
import os
import sys

_NOTICE = "This process received values of data subjects. It logs nothing more, so that they can be erased everywhere."

_is_silent = False


def silence():
    global _is_silent
    if _is_silent:
        return
    print(_NOTICE, flush=True)
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(nowhere, output)
    os.close(nowhere)
    _is_silent = True


def unspoken(error):
    """Returns the error, without its text once the process is silent: Lambda logs what ends a process."""
    if _is_silent:
        error.args = ()
    return error


# Lambda's own handlers write to the log, not to these descriptors.
for _handler in logging.getLogger().handlers:
    _handler.addFilter(lambda _record: not _is_silent)
