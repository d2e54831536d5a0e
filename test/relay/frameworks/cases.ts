import type { FRAMEWORKS } from "./start-framework.ts"

/** What is encrypted wherever a relay finds it, and no framework may read. */
export const CARD = "4242424242424242"

/** A request that a framework reads as one that the relay would encrypt, though no route or selection describes it. */
export interface FrameworkCase {
  readonly framework: keyof typeof FRAMEWORKS
  readonly what: string
  /** Settings of the relay. */
  readonly relay: object
  /** Default: `POST`. */
  readonly method?: string
  /** Default: `/pay`. */
  readonly path?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const encrypt = (type: string, selector: string) => ({ action: "encrypt", selections: [{ type, selector }] })
const onRequests = (type: string, selector: string, path = "/pay", method = "POST") => ({
  routes: [{ method, path, request: [encrypt(type, selector)] }],
})

const JSON_CARD = onRequests("json", "$.card")
const NESTED_CARD = onRequests("json", "$.card.number")
const FORM_CARD = onRequests("form", "card")
const PUT_CARD = onRequests("form", "card", "/cards", "PUT")

const FORM = "application/x-www-form-urlencoded"
const MULTIPART = "multipart/form-data; boundary=b"
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const OVERRIDING = `${part("_method", "PUT")}${part("card", CARD)}--b--\r\n`
const json = JSON.stringify({ card: CARD })
const form = `card=${CARD}`

/** Bodies of types without a selection, and of types that they do not have. */
const TYPES: readonly FrameworkCase[] = [
  {
    framework: "Express",
    relay: NESTED_CARD,
    type: FORM,
    body: JSON.stringify({ card: { number: CARD } }),
    what: "reads JSON that is called a form, as curl calls it without a header, as the name of a field",
  },
  {
    framework: "Express",
    relay: NESTED_CARD,
    type: FORM,
    body: `card[number]=${CARD}`,
    what: "makes the object of a form, as NestJS does",
  },
  {
    framework: "Symfony",
    relay: NESTED_CARD,
    type: FORM,
    body: `card[number]=${CARD}`,
    what: "makes the object of a form",
  },
  {
    framework: "Rack",
    relay: NESTED_CARD,
    type: FORM,
    body: `card[number]=${CARD}`,
    what: "makes the object of a form",
  },
  {
    framework: "Starlette",
    relay: JSON_CARD,
    type: FORM,
    body: json,
    what: "reads JSON that is called a form",
  },
  {
    framework: "Starlette",
    relay: JSON_CARD,
    type: "text/plain",
    body: json,
    what: "reads JSON that is called text, as pages send it without a preflight",
  },
  { framework: "Starlette", relay: JSON_CARD, body: json, what: "reads JSON without a type" },
  {
    framework: "Flask",
    relay: JSON_CARD,
    type: FORM,
    body: json,
    what: "reads JSON that is called a form, where it is asked to",
  },
  {
    framework: "Symfony",
    relay: JSON_CARD,
    type: FORM,
    body: json,
    what: "reads JSON that is called a form, by the content",
  },
  {
    framework: "Rack",
    relay: JSON_CARD,
    type: FORM,
    body: json,
    what: "reads JSON that is called a form, by the body",
  },
  {
    framework: "Starlette",
    relay: FORM_CARD,
    type: FORM,
    body: json,
    what: "reads JSON that is called a form where forms are selected",
  },
  {
    framework: "Rack",
    relay: FORM_CARD,
    type: FORM,
    body: `/**/${json}`,
    what: "skips the comment before JSON that is called a form where forms are selected",
  },
  {
    framework: "Bottle",
    relay: { ...FORM_CARD, passContentTypes: ["image/png"] },
    type: "image/png",
    body: form,
    what: "reads a form that is called an image, which may pass",
  },
  {
    framework: "Express",
    what: "answers in XML when it is asked to, where JSON is encrypted",
    relay: { routes: [{ path: "/cards", response: [encrypt("json", "$.card")] }] },
    method: "GET",
    path: "/cards",
    headers: { accept: "application/xml" },
  },
]

/** Paths and methods that no route has, if requests pass without a route. */
const ROUTES: readonly FrameworkCase[] = [
  {
    framework: "Starlette",
    relay: JSON_CARD,
    path: "/pay%0a",
    type: "application/json",
    body: json,
    what: "ignores a line break at the end of a path",
  },
  {
    framework: "Bottle",
    relay: JSON_CARD,
    path: "/pay%ff",
    type: "application/json",
    body: json,
    what: "ignores invalid bytes in a path",
  },
  {
    framework: "Bottle",
    relay: onRequests("json", "$.card", "/users/*/pay"),
    path: "/users/7/pay%ff",
    type: "application/json",
    body: json,
    what: "ignores invalid bytes in a path below a wildcard",
  },
  {
    framework: "Symfony",
    relay: JSON_CARD,
    path: "/index.php/pay",
    type: "application/json",
    body: json,
    what: "takes the path after its own script's name, as Laravel does",
  },
  {
    framework: "Symfony",
    relay: PUT_CARD,
    path: "/cards",
    type: FORM,
    body: `_method=PUT&${form}`,
    what: "takes the method from a field of a form",
  },
  {
    framework: "Symfony",
    relay: PUT_CARD,
    path: "/cards",
    type: FORM,
    body: form,
    headers: { "x-http-method-override": "PUT" },
    what: "takes the method from a header",
  },
  {
    framework: "Symfony",
    relay: PUT_CARD,
    path: "/cards",
    type: MULTIPART,
    body: OVERRIDING,
    what: "takes the method from a part",
  },
  {
    framework: "Rack",
    relay: PUT_CARD,
    path: "/cards",
    type: MULTIPART,
    body: OVERRIDING,
    what: "takes the method from a part",
  },
  {
    framework: "Rack",
    relay: PUT_CARD,
    path: "/cards",
    type: FORM,
    body: `_method=PUT&${form}`,
    what: "takes the method from a field of a form",
  },
  {
    framework: "Rack",
    relay: PUT_CARD,
    path: "/cards",
    type: FORM,
    body: form,
    headers: { "x-http-method-override": "PUT" },
    what: "takes the method from a header",
  },
]

/** Parameters of the query that take the place of a field. */
const QUERIES: readonly FrameworkCase[] = [
  ...(["Flask", "Bottle", "Symfony", "Rack"] as const).map((framework) => ({
    framework,
    relay: JSON_CARD,
    path: `/pay?card=${CARD}`,
    type: "application/json",
    body: "{}",
    what: "reads a parameter of the query in place of a field",
  })),
  ...(["Symfony", "Rack"] as const).map((framework) => ({
    framework,
    relay: NESTED_CARD,
    path: `/pay?card[number]=${CARD}`,
    type: "application/json",
    body: "{}",
    what: "makes the object of a query in place of a field",
  })),
]

/** XML whose root has another name, which readers ignore. */
const ROOTS: readonly FrameworkCase[] = [
  ["$.order.card", `<other><card>${CARD}</card></other>`, "an element"],
  ["$.order.customer.card", `<other><customer><card>${CARD}</card></customer></other>`, "a nested element"],
  ["$.order['@card']", `<other card="${CARD}"/>`, "an attribute"],
].map(([selector = "", body = "", found]) => ({
  framework: "Flask",
  relay: onRequests("xml", selector, "/order"),
  path: "/order",
  type: "application/xml",
  body,
  what: `finds ${found} whatever the root's name is, with ElementTree`,
}))

const SIMPLE_XML: FrameworkCase = {
  framework: "Symfony",
  relay: onRequests("xml", "$.order.card"),
  type: "application/xml",
  body: `<other><card>${CARD}</card></other>`,
  what: "finds an element whatever the root's name is, with SimpleXML",
}

/** Arguments in the text of a GraphQL query, where its variables are encrypted. */
const ARGUMENTS: readonly FrameworkCase[] = [
  [`{ pay(card: "${CARD}") }`, "an argument"],
  [`{ pay(by: {card: "${CARD}"}) }`, "a field of an argument"],
  [`{ pay(card: """${CARD}""") }`, "a block of text"],
  [`query ($card: String = "${CARD}") { pay(card: $card) }`, "the default of a variable"],
].map(([query, found]) => ({
  framework: "Flask",
  relay: onRequests("json", "$.variables.card", "/graphql"),
  path: "/graphql",
  type: "application/json",
  body: JSON.stringify({ query }),
  what: `takes ${found} in the text of a GraphQL query`,
}))

export const CASES: readonly FrameworkCase[] = [
  ...[...TYPES, ...ROUTES, ...QUERIES, ...ROOTS],
  ...[SIMPLE_XML, ...ARGUMENTS],
]
