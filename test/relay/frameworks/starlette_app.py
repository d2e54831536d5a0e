"""Starlette, on which FastAPI is built: prints its port, and answers what an application reads from a request."""

import asyncio
import json
import socket

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def read(request: Request) -> JSONResponse:
    seen = {"path": request.url.path, "query": dict(request.query_params)}
    # Neither asks what type the body is of.
    try:
        seen["json"] = await request.json()
    except ValueError:
        pass
    seen["form"] = {name: str(value) for name, value in (await request.form()).items()}
    return JSONResponse(seen)


ROUTES = [Route("/pay", read, methods=["POST"]), Route("/slash/", read, methods=["POST"])]


async def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(json.dumps(listener.getsockname()[1]), flush=True)
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=ROUTES), log_level="critical"))
    await server.serve(sockets=[listener])


asyncio.run(main())
