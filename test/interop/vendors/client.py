# Does what each line of standard input says with the vendor's client, and writes what comes of it.
import json
import os
import sys

import evervault

CURVES = {"prime256v1": "SECP256R1", "secp256k1": "SECP256K1"}
evervault.init(os.environ["SEALWAY_APP"], os.environ["SEALWAY_API_KEY"], curve=CURVES[sys.argv[1]])



def open_file(data):
    opened = evervault.decrypt(evervault.encrypt(data.encode()))
    # This client returns the text of a file.
    return opened if isinstance(opened, str) else opened.decode()


ACTIONS = {
    "encrypt": lambda data, role=None: evervault.encrypt(data, role),
    "round-trip": lambda data: evervault.decrypt(evervault.encrypt(data)),
    "round-trip-file": open_file,
    "decrypt": evervault.decrypt,
    "client-side-token": lambda data: evervault.create_client_side_decrypt_token(data),
    "run": lambda name, data: evervault.run(name, evervault.encrypt(data)),
    "run-later": lambda name, data: evervault.run(name, data, run_async=True),
    "run-token": lambda name, data: evervault.create_run_token(name, data),
}

for line in sys.stdin:
    task = json.loads(line)
    try:
        print(json.dumps({"result": ACTIONS[task.pop("action")](**task)}), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error)}), flush=True)
