"""Runs between Lambda and a customer's handler: loads the handler's module, gives it the decrypted payload and a
context, and turns any outcome into one answer (invocation.ts). node/runtime.mjs does the same.
"""

import dataclasses
import importlib
import inspect
import json
import os
import time
import traceback
import typing

from .seal import create_encrypt
from .silence import silence, unspoken

_MAX_MESSAGE_CHARACTERS = 4096
_MAX_STACK_CHARACTERS = 16384

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_ROOT = os.path.join(os.path.dirname(os.path.dirname(_FOLDER)), "")
_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")

with open(os.path.join(_FOLDER, "handler.json"), encoding="utf-8") as _description:
    _FILE = json.load(_description)["file"]


@dataclasses.dataclass(frozen=True)
class Context:
    functionName: str
    runId: str
    app: str
    encrypt: typing.Callable
    traceparent: typing.Optional[str] = None
    tracestate: typing.Optional[str] = None


def handler(event, _lambda_context):
    global _loaded
    if event.get("isSilent"):
        silence()
    # The network may have failed: an instance that keeps running tries again.
    if isinstance(_loaded, dict):
        _loaded = _load()
    if isinstance(_loaded, dict):
        return _loaded
    try:
        result = _wait(_loaded(event["payload"], _context(event["context"])))
    except (SystemExit, KeyboardInterrupt, MemoryError) as error:
        raise unspoken(error)  # ends the process, as it does in Node.js
    except BaseException as error:
        return _failure(error)
    try:
        return {"status": "success", "result": _as_json(result)}
    except (ValueError, TypeError, RecursionError) as error:
        return _failure(error, "The result is not JSON: ")


def _load():
    """Returns the customer's handler, or the answer that says why there is none."""
    try:
        importlib.invalidate_caches()
        module = importlib.import_module(_FILE.removesuffix(".py").replace("/", "."))
        customer_handler = getattr(module, "handler", None)
        if not callable(customer_handler):
            raise AttributeError(f"{_FILE} defines no function named handler")
        return customer_handler
    except (SystemExit, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        return _failure(error, "The function failed to initialise: ", initialisation=True)


_event_loop = None


def _wait(result):
    """Returns the result of an `async def` handler. All runs share one event loop, so what they opened on it
    stays usable."""
    global _event_loop
    if not inspect.isawaitable(result):
        return result
    import asyncio

    async def waiting():
        return await result

    if _event_loop is None:
        _event_loop = asyncio.Runner()
    return _event_loop.run(waiting())


def _context(context):
    encrypt = create_encrypt(context["publicKey"], lambda: int(time.time()))
    trace = (context.get("traceparent"), context.get("tracestate"))
    return Context(context["functionName"], context["runId"], context["app"], encrypt, *trace)


def _as_json(result):
    """Returns the result as JSON. Without allow_nan and the encoding, NaN and lone surrogates would pass here and fail
    later."""
    text = json.dumps(result, allow_nan=False, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it contains a lone surrogate") from None
    return json.loads(text)


def _failure(error, prefix="", initialisation=False):
    message, stack = _describe(error)
    return {
        "status": "failure",
        "error": {
            # Python says why a module does not load, with paths; what a handler raises is the customer's own text.
            "message": _well_formed(
                (prefix + (_without_root(message) if initialisation else message))[:_MAX_MESSAGE_CHARACTERS]
            ),
            "stack": _well_formed(stack[:_MAX_STACK_CHARACTERS]),
        },
        "initialisation": initialisation,
    }


def _describe(error):
    try:
        stack = "".join(traceback.format_exception(type(error), error, _own_frames(error.__traceback__)))
        return str(error) or type(error).__name__, _without_root(stack)
    except Exception:
        # The customer's __str__ raised an error too.
        return "The function raised an error that cannot be shown", ""


def _without_root(text):
    """Shortens paths to start at the customer's folder or the library, so that they do not reveal where those are."""
    return text.replace(_ROOT, "").replace(_LIBRARY, "")


def _own_frames(frames):
    """Drops the frames of this file, the import system and the event loop, which called the customer's code."""
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if file.startswith(_ROOT) and not file.startswith(_FOLDER):
            break
        frames = frames.tb_next
    return frames


def _well_formed(text):
    return text.encode("utf-8", "replace").decode()


# Before the first invocation, while Lambda gives an instance its full speed.
_loaded = _load()
