/**
 * What an AWS service answered to a call that it refused or failed to carry out. `name` is the service's own name of the
 * error: `ThrottlingException`.
 */
export class AwsServiceError extends Error {
  /** What AWS asks for when it is told of a problem. The names are those of the SDK. */
  readonly $metadata: {
    readonly httpStatusCode: number
    readonly requestId?: string
    /** Set when the clock of AWS differed: the next attempt is signed with it. */
    clockSkewCorrected?: true
  }
  /** The other members of the answer, for example the `Item` that made a condition fail. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    name: string,
    message: string,
    metadata: AwsServiceError["$metadata"],
    details: AwsServiceError["details"],
  ) {
    super(message)
    this.name = name
    this.$metadata = metadata
    this.details = details
  }
}

/** A function that was called failed. What it answered may contain anything: its log says more. */
export class FunctionFailedError extends AwsServiceError {
  constructor() {
    super("FunctionFailed", "A function that was called failed", { httpStatusCode: 500 }, {})
  }
}

/** True for an error with this name. */
export function isAwsError(error: unknown, name: string): error is AwsServiceError {
  return error instanceof AwsServiceError && error.name === name
}

/**
 * Reads an answer of AWS JSON 1.0 or 1.1 that is no success. The name may come with a namespace before it and a URL
 * after it; one that is no JSON comes from something in between, such as a proxy.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html#operation-error-serialization
 */
export function readServiceError(
  {
    statusCode,
    headers,
  }: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> },
  answer: string,
  decode: (members: object) => object,
): AwsServiceError {
  const { __type, code, message, Message, ...others } = membersOf(answer)
  const type = [headers["x-amzn-errortype"], __type, code].find((each) => typeof each === "string")
  const name = String(type ?? "Unknown")
    .replace(/:.*$/s, "")
    .replace(/^.*#/s, "")
  const text = [message, Message].find((each) => typeof each === "string")
  const requestId = headers["x-amzn-requestid"]
  const metadata = { httpStatusCode: statusCode, ...(requestId !== undefined && { requestId }) }
  return new AwsServiceError(name, String(text ?? name), metadata, detailsOf(others, decode))
}

/** Members that are not the service's say nothing: the name and the status still decide on a retry. */
function detailsOf(members: object, decode: (members: object) => object): AwsServiceError["details"] {
  try {
    return { ...decode(members) }
  } catch {
    return {}
  }
}

function membersOf(answer: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(answer)
    return typeof parsed === "object" ? { ...parsed } : {}
  } catch {
    return {}
  }
}
