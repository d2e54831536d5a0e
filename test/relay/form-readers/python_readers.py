"""What Python's readers of forms give an application under a name.

Reads lines of JSON, [content type, body in base64, name], and answers one line for each: the readers that are
installed, and what each of them gives as a text. Python's own are always there, but for cgi, which 3.13 is without.
"""

import base64
import email.parser
import email.policy
import io
import json
import sys
import urllib.parse
import warnings

warnings.simplefilter("ignore")


def read_with_urllib(content_type, body, name):
    return urllib.parse.parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True).get(name)


def read_with_email(content_type, body, name):
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    parts = [part for part in message.walk() if not part.is_multipart()]
    found = [part for part in parts if part.get_param("name", header="content-disposition") == name]
    return [part.get_payload(decode=True).decode("latin-1") for part in found]


def read_with_cgi(content_type, body, name):
    import cgi

    environment = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(body))}
    values = cgi.FieldStorage(fp=io.BytesIO(body), environ=environment, keep_blank_values=True).getlist(name)
    return [value.decode("latin-1") if isinstance(value, bytes) else value for value in values]


def read_with_flask(content_type, body, name):
    from werkzeug.wrappers import Request

    request = Request(
        {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            "wsgi.url_scheme": "http",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
        }
    )
    files = [file.read().decode("latin-1") for file in request.files.getlist(name)]
    return [request.form.getlist(name), files]


def read_with_django(content_type, body, name):
    import django
    from django.conf import settings

    if not settings.configured:
        settings.configure(DEFAULT_CHARSET="utf-8")
        django.setup()
    from django.core.handlers.wsgi import WSGIRequest

    request = WSGIRequest(
        {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            "PATH_INFO": "/",
        }
    )
    files = [file.read().decode("latin-1") for file in request.FILES.getlist(name)]
    return [request.POST.getlist(name), files]


def read_with_starlette(content_type, body, name):
    import asyncio

    from starlette.requests import Request

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def read():
        headers = [(b"content-type", content_type.encode("latin-1"))]
        form = await Request({"type": "http", "method": "POST", "headers": headers}, receive).form()
        values = form.getlist(name)
        return [value if isinstance(value, str) else (await value.read()).decode("latin-1") for value in values]

    return asyncio.run(read())


READERS = {
    "Python": read_with_urllib,
    "email": read_with_email,
    "cgi": read_with_cgi,
    "Flask": read_with_flask,
    "Django": read_with_django,
    "Starlette": read_with_starlette,
}

for line in sys.stdin:
    content_type, encoded, name = json.loads(line)
    answer = {}
    for reader, read in READERS.items():
        try:
            answer[reader] = json.dumps(read(content_type, base64.b64decode(encoded), name))
        except ImportError:
            continue
        except Exception as error:
            answer[reader] = f"refused: {type(error).__name__}"
    print(json.dumps(answer), flush=True)
