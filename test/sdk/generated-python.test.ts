import { writeOpenApiDocument } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { generatePython } from "../../scripts/sdk/generate-python.ts"
import { PythonTypes } from "../../scripts/sdk/python-types.ts"

const document: { components: { schemas: object }; paths: Record<string, Record<string, object>> } =
  JSON.parse(writeOpenApiDocument())
const operations = (paths: object) =>
  generatePython({ ...document, paths }).get("src/sealway/_generated/operations.py") ?? ""

describe("the generator for Python", () => {
  const post = {
    operationId: "create-subject-export",
    summary: "Export a subject",
    description: 'A comment that ends early: """ + evil() and a \\ at the end: \\',
    security: [{ ApiKey: ["dataSubject:read"] }],
    parameters: [
      { in: "path", name: "data_subject_id", required: true, schema: { type: "string" } },
      { in: "query", name: "from", schema: { type: "string" } },
      { in: "query", name: "pageSize", schema: { type: "integer" } },
      { in: "header", name: "x-service-data-role", schema: { type: "string" } },
      { in: "header", name: "idempotency-key", schema: { type: "string" } },
    ],
    requestBody: {
      content: {
        "application/json": { schema: { type: "object", properties: { "a-b": { enum: ["x", 1, null] } } } },
      },
    },
    responses: { 201: { content: { "application/json": { schema: { $ref: "#/components/schemas/App" } } } } },
  }
  const path = "/data-subjects/{data_subject_id}/exports"

  test("gives a new endpoint its types and a method among the operations of its credentials", () => {
    const text = operations({ ...document.paths, [path]: { post } })
    const from = text.indexOf("class AppOperations(PaymentOperations)")
    expect(text.slice(from, text.indexOf("class TeamOperations"))).toContain(
      "def create_subject_export(self, *, data_subject_id: str, body: t.CreateSubjectExportBody, " +
        "from_: str | int | None = None, page_size: int | None = None, data_role: str | None = None) -> Request[t.App]:",
    )
    expect(text).toContain(
      'return Request("POST", "/data-subjects/{data_subject_id}/exports", path={"data_subject_id": data_subject_id}, ' +
        'query={"from": from_, "pageSize": page_size}, headers={"x-service-data-role": data_role}, body=body, takes_key=True)',
    )
  })

  test("writes no description that ends its text", () => {
    const text = operations({ [path]: { post } })
    expect(text).toContain(
      'ends early: \\"\\"\\" + evil() and a \\\\ at the end: \\\\"""'.replace(/"""$/, ""),
    )
    expect(text).not.toMatch(/[^\\]""" \+ evil/)
  })

  test("refuses two inputs of the same name", () => {
    const parameters = [
      ...post.parameters,
      { in: "header", name: "x-service-page-size", schema: { type: "string" } },
    ]
    expect(() => operations({ [path]: { post: { ...post, parameters } } })).toThrow(
      "Two inputs of create-subject-export have the same name",
    )
  })

  test("has no method for pages, forms and what members' sessions call", () => {
    expect(operations(document.paths)).not.toMatch(
      /text\/html|urlencoded|def (open_3ds_page|get_session|sign_out)\b/,
    )
  })
})

describe("a type of Python", () => {
  const typesOf = (schemas: ConstructorParameters<typeof PythonTypes>[0], name: string) => {
    const types = new PythonTypes(schemas)
    return { type: types.typeOf({ $ref: `#/components/schemas/${name}` }, name), text: types.text }
  }
  const failed = {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
  } as const

  test("of a union with a discriminator is a class for each variant, told apart by a literal", () => {
    const variant = (status: string, others: object) => ({
      type: "object",
      properties: { status: { type: "string", enum: [status] }, ...others },
      required: ["status", ...Object.keys(others)],
    })
    const { text } = typesOf(
      { Run: { oneOf: [variant("success", { result: {} }), variant("failure", { error: failed })] } },
      "Run",
    )
    expect(text).toContain('class RunSuccess(TypedDict):\n    status: Literal["success"]\n    result: Any\n')
    expect(text).toContain(
      'class RunFailure(TypedDict):\n    status: Literal["failure"]\n    error: RunFailureError\n',
    )
    expect(text).toContain('Run: TypeAlias = "RunSuccess | RunFailure"\n')
  })

  test("of a union of named schemas names them, and of a plain object is one class", () => {
    const { text } = typesOf(
      {
        Run: { oneOf: [{ $ref: "#/components/schemas/Good" }, { $ref: "#/components/schemas/Bad" }] },
        Good: failed,
        Bad: { type: ["array", "null"], items: { type: "integer" } },
      },
      "Run",
    )
    expect(text).toContain('Run: TypeAlias = "Good | Bad"\n')
    expect(text).toContain("class Good(TypedDict):\n    message: str\n")
    expect(text).toContain('Bad: TypeAlias = "list[int] | None"\n')
  })

  test("with a name that no field can have in a class is written as a call", () => {
    const field = { type: "object", properties: { async: { type: "boolean" } } }
    expect(typesOf({ Options: field }, "Options").text).toBe(
      'Options = TypedDict("Options", {\n    "async": "NotRequired[bool]",\n})\n',
    )
  })

  test("of objects that are described twice is one, and of long enumerations has a name", () => {
    const values = ["a", "b", "c", "d", "e", "f", "g"]
    const properties = { first: failed, second: failed, kind: { enum: values }, other: { enum: values } }
    const { text } = typesOf(
      { Two: { type: "object", properties, required: Object.keys(properties) } },
      "Two",
    )
    expect(text).toContain(
      "    first: TwoFirst\n    second: TwoFirst\n    kind: TwoKind\n    other: TwoKind\n",
    )
    expect(text.match(/Literal\["a"/g)).toHaveLength(1)
  })
})
