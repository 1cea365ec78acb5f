"""Reads every example of an API document with a client that openapi-python-client made of it; prints what each read."""
import importlib
import json
import pathlib
import re
import sys
from collections.abc import Mapping

import attrs
import httpx

folder, document = sys.argv[1:]
client = pathlib.Path(folder)
sys.path.insert(0, str(client.parent))
name = client.name
api_client = importlib.import_module(f"{name}.client").Client(base_url="http://127.0.0.1")


def find_module(operation):
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
    (path,) = client.glob(f"api/*/{snake}.py")
    return importlib.import_module(f"{name}.api.{path.parent.name}.{snake}")


def examples_of(content):
    body = content.get("application/json", {})
    named = [example["value"] for example in body.get("examples", {}).values()]
    return ([body["example"]] if "example" in body else []) + named


def unread(value, at="$"):
    """Fields that no model knows. A union whose members all fail keeps the plain JSON."""
    if isinstance(value, Mapping):
        return [at]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in unread(item, f"{at}[{index}]")]
    if not attrs.has(type(value)):
        return []
    fields = attrs.asdict(value, recurse=False)
    extra = fields.pop("additional_properties", {})
    inner = [found for key, item in fields.items() for found in unread(item, f"{at}.{key}")]
    return inner + [f"{at}.{key}" for key in extra]


for path, methods in json.loads(pathlib.Path(document).read_text())["paths"].items():
    for method, operation in methods.items():
        module = find_module(operation["operationId"])
        for status, response in operation["responses"].items():
            for example in examples_of(response.get("content", {})):
                answer = httpx.Response(int(status), json=example)
                read = module._parse_response(client=api_client, response=answer)
                result = {"is_same": read.to_dict() == example, "unread": unread(read)}
                print(json.dumps({"path": path, "method": method, "status": status, **result}))
        for example in examples_of(operation.get("requestBody", {}).get("content", {})):
            body = module._get_kwargs.__annotations__["body"]
            read = getattr(module, str(getattr(body, "__name__", body))).from_dict(example)
            result = {"is_same": read.to_dict() == example, "unread": unread(read)}
            print(json.dumps({"path": path, "method": method, "status": "request", **result}))
