"""Runs inside each instance of a Python function, in place of AWS's runtime interface client: loads the handler that
`_HANDLER` names, reads invocations from file descriptor 3 and writes their outcomes (instance.ts).
"""

import importlib
import json
import os
import signal
import struct
import sys
import time
import traceback

MAX_RESPONSE_BYTES = 6_291_556
MAX_PRINTED_BYTES = 4096
HANDLER = os.environ["_HANDLER"]
ROOT = os.environ["LAMBDA_TASK_ROOT"]
CHANNEL = 3


class Failure(Exception):
    def __init__(self, error_type, message):
        super().__init__(message)
        self.error_type = error_type


class Context:
    def __init__(self, request_id, deadline_ms):
        self.aws_request_id = request_id
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = "$LATEST"
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self._deadline_ms = deadline_ms

    def get_remaining_time_in_millis(self):
        return int(self._deadline_ms - time.time() * 1000)


def load():
    module_name, _, name = HANDLER.rpartition(".")
    try:
        module = importlib.import_module(module_name.replace("/", "."))
    except ImportError as error:
        raise Failure("Runtime.ImportModuleError", f"Unable to import module '{module_name}': {error}") from error
    except SyntaxError as error:
        raise Failure("Runtime.UserCodeSyntaxError", f"Syntax error in module '{module_name}': {error}") from error
    handler = getattr(module, name, None)
    if not callable(handler):
        raise Failure("Runtime.HandlerNotFound", f"Handler '{name}' missing on module '{module_name}'")
    return handler


def answer(handler, body):
    try:
        line, _, event = body.partition(b"\n")
        request = json.loads(line)
        result = handler(json.loads(event), Context(request["requestId"], request["deadlineMs"]))
        try:
            text = json.dumps(result, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise Failure("Runtime.MarshalError", f"Unable to marshal response: {error}") from error
        if len(text) > MAX_RESPONSE_BYTES:
            raise Failure(
                "Function.ResponseSizeTooLarge",
                f"Response payload size ({len(text)} bytes) exceeded maximum allowed payload size "
                f"({MAX_RESPONSE_BYTES} bytes).",
            )
        send(b"S", text)
    except MemoryError:
        raise
    except Exception as error:
        send(b"E", report(failure_of(error)))


def failure_of(error):
    error_type = getattr(error, "error_type", type(error).__name__)
    try:
        message, trace = str(error), traceback.format_exception(error)
    except Exception:
        message, trace = "The error cannot be shown", []
    report = {"errorType": error_type, "errorMessage": message[:4096], "stackTrace": trace[-20:]}
    return json.dumps(report).encode()


def report(failure):
    """Prints what went wrong, as the process itself does on AWS."""
    print(failure[:MAX_PRINTED_BYTES].decode(errors="replace"), file=sys.stderr, flush=True)
    return failure


def send(kind, body):
    rest = memoryview(kind + struct.pack(">I", len(body)) + body)
    while rest:
        rest = rest[os.write(CHANNEL, rest) :]


def receive(length):
    parts = bytearray()
    while len(parts) < length:
        part = os.read(CHANNEL, min(length - len(parts), 1 << 20))
        if not part:
            # Sealway has ended. Not sys.exit: no code of the function may run any more.
            os._exit(0)
        parts += part
    return bytes(parts)


def main():
    os.set_inheritable(CHANNEL, False)
    sys.path.insert(0, ROOT)
    try:
        handler = load()
    except MemoryError:
        raise
    except Exception as error:
        send(b"F", report(failure_of(error)))
        os._exit(1)
    send(b"R", b"")
    while True:
        _, length = struct.unpack(">cI", receive(5))
        answer(handler, receive(length))


try:
    main()
except MemoryError:
    # The limit on address space raises an error where Lambda would kill; end as there.
    os.kill(os.getpid(), signal.SIGKILL)
