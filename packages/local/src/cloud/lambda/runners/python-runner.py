"""Runs inside each instance of a Python function, in the place of AWS's runtime interface client: loads the handler
that `_HANDLER` names, takes invocations from file descriptor 3 and writes what comes of them (frames.ts).
"""

import ctypes
import importlib
import json
import os
import signal
import struct
import sys
import sysconfig
import time
import traceback

MAX_RESPONSE_BYTES = 6_291_556
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


# What a function may read besides its own folder: Python's library, shared libraries, names, certificates, time zones.
# No wider: /usr and /opt may hold an application, and its data.
READABLE = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
READABLE += [os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix, sys.base_exec_prefix)]
READABLE += ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"]
READABLE += ["/usr/share/ca-certificates", "/usr/local/share/ca-certificates"]
READABLE += ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"]
READABLE += [
    "/etc/" + name
    for name in (
        "ssl pki ca-certificates resolv.conf hosts nsswitch.conf host.conf gai.conf services protocols localtime "
        "timezone mime.types ld.so.cache"
    ).split()
]


def confine():
    """Has the Linux kernel confine this process for good (Landlock, Linux 5.13 and newer): of all files it may read
    those above and nothing else, write none but /dev/null, start no program, and signal nobody outside (Linux 6.12).
    Where the kernel has no Landlock, nothing happens."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    create_ruleset, add_rule, restrict_self = 444, 445, 446
    version = libc.syscall(create_ruleset, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    read_file, read_folder, write_file, execute = 4, 8, 2, 1
    file_rights = (1 << 13) - 1
    file_rights |= (1 << 13 if version >= 2 else 0) | (1 << 14 if version >= 3 else 0) | (1 << 15 if version >= 5 else 0)
    scopes = 3 if version >= 6 else 0  # abstract Unix sockets, signals
    attributes = struct.pack("=QQQ", file_rights, 0, scopes)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    ruleset = libc.syscall(create_ruleset, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock")
    for path in {ROOT, *READABLE} - {"", "/"}:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = read_file | (read_folder if os.path.isdir(path) else 0)
        rights |= write_file if path == "/dev/null" else 0
        rule = struct.pack("=Qi", rights, opened)
        if libc.syscall(add_rule, ruleset, 1, rule, 0) != 0:
            raise OSError(ctypes.get_errno(), "Landlock")
        os.close(opened)
    no_new_privileges = 38
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.syscall(restrict_self, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "Landlock")
    os.close(ruleset)


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
        send(b"E", failure_of(error))


def failure_of(error):
    error_type = getattr(error, "error_type", type(error).__name__)
    try:
        message, trace = str(error), traceback.format_exception(error)
    except Exception:
        message, trace = "The error cannot be shown", []
    report = {"errorType": error_type, "errorMessage": message[:4096], "stackTrace": trace[-20:]}
    return json.dumps(report).encode()


def send(kind, body):
    rest = memoryview(kind + struct.pack(">I", len(body)) + body)
    while rest:
        rest = rest[os.write(CHANNEL, rest) :]


def receive(length):
    parts = bytearray()
    while len(parts) < length:
        part = os.read(CHANNEL, min(length - len(parts), 1 << 20))
        if not part:
            # Sealway has ended. Not sys.exit: nothing of the function may run any more.
            os._exit(0)
        parts += part
    return bytes(parts)


def main():
    os.set_inheritable(CHANNEL, False)
    confine()
    sys.path.insert(0, ROOT)
    try:
        handler = load()
    except MemoryError:
        raise
    except Exception as error:
        send(b"F", failure_of(error))
        os._exit(1)
    send(b"R", b"")
    while True:
        _, length = struct.unpack(">cI", receive(5))
        answer(handler, receive(length))


try:
    main()
except MemoryError:
    # The limit on address space says no where Lambda would kill; end as there.
    os.kill(os.getpid(), signal.SIGKILL)
