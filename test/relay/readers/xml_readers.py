"""What Python's ElementTree gives an application at a path of a document.

Reads lines of JSON, ["xml", body in base64, path], and answers one line for each: what is there without regard to
namespaces, and what is there in each namespace. A path is a list of names and positions; an attribute has "@" in front.
"""

import base64
import json
import sys
import xml.etree.ElementTree as ElementTree


def texts_at(elements, path, prefix):
    if not path:
        return [element.text or "" for element in elements]
    step, *rest = path
    if isinstance(step, int):
        is_there = -len(elements) <= step < len(elements)
        return texts_at([elements[step]] if is_there else [], rest, prefix)
    if step.startswith("@"):
        return [element.get(step[1:]) or "" for element in elements]
    # Elements with positions behind them are counted in each parent.
    texts = []
    for element in elements:
        texts += texts_at(element.findall(prefix + step), rest, prefix)
    return texts


for line in sys.stdin:
    _, encoded, path = json.loads(line)
    try:
        root = ElementTree.fromstring(base64.b64decode(encoded))
        namespaces = {element.tag[: element.tag.find("}") + 1] for element in root.iter()}
        by_namespace = [text for prefix in namespaces for text in texts_at([root], path[1:], prefix)]
        answer = {
            "ElementTree": " ".join(texts_at([root], path[1:], "{*}")),
            "ElementTree by namespace": " ".join(by_namespace),
        }
    except ElementTree.ParseError:
        answer = {"ElementTree": "refused", "ElementTree by namespace": "refused"}
    print(json.dumps(json.dumps(answer)), flush=True)
