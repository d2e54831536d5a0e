"""Bottle: prints its port, and answers what an application reads from a request."""

from wsgiref.simple_server import WSGIRequestHandler, make_server

from bottle import Bottle, request

app = Bottle()


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@app.post("/pay")
@app.post("/users/<name>/pay")
def read(name=""):
    # A form of any type but multipart is read as `application/x-www-form-urlencoded`.
    return {"forms": dict(request.forms), "params": dict(request.params), "json": request.json}


server = make_server("127.0.0.1", 0, app, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
