"""Flask, with ElementTree and graphql-core: prints its port, and answers what an application reads from a request."""

import logging
from xml.etree import ElementTree

from flask import Flask, jsonify, request
from graphql import build_schema, graphql_sync
from werkzeug.serving import make_server

app = Flask(__name__)
logging.getLogger("werkzeug").disabled = True


@app.post("/pay")
@app.post("/slash/")
def read():
    # As it is documented for clients that do not say what they send.
    body = request.get_json(force=True, silent=True)
    return jsonify({"json": body, "values": request.values.to_dict(flat=False)})


@app.post("/order")
def read_order():
    # ElementTree looks for children of the root, whatever that is called.
    root = ElementTree.fromstring(request.get_data())
    return jsonify({"cards": [root.findtext("card"), root.findtext("customer/card"), root.get("card")]})


SCHEMA = build_schema("type Query { pay(card: String, by: Payment): String } input Payment { card: String }")


@app.post("/graphql")
def execute():
    asked = request.get_json()
    resolvers = {"pay": lambda _, **arguments: str(arguments)}
    result = graphql_sync(SCHEMA, asked["query"], resolvers, variable_values=asked.get("variables"))
    return jsonify(result.formatted)


server = make_server("127.0.0.1", 0, app)
print(server.server_port, flush=True)
server.serve_forever()
