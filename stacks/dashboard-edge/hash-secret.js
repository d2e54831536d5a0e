// A Lambda function that CloudFormation calls with the origin secret when it deploys the dashboard's stack, and that answers
// with the secret's SHA-256. It needs no permission, and CloudFormation shows nobody what a custom resource is called with.
const { createHash } = require("node:crypto")

/** How a reference begins that CloudFormation has not resolved. (Written whole, it would try to resolve it here.) */
const REFERENCE = "{{"
const MIN_LENGTH = 32

function resultOf({ RequestType, ResourceProperties }) {
  if (RequestType === "Delete") return { Status: "SUCCESS" }
  const { Secret } = ResourceProperties
  if (typeof Secret !== "string" || Secret.startsWith(REFERENCE) || Secret.length < MIN_LENGTH) {
    return { Status: "FAILED", Reason: "The origin secret was not resolved" }
  }
  return { Status: "SUCCESS", Data: { Sha256: createHash("sha256").update(Secret).digest("hex") } }
}

exports.handler = async (event) => {
  const { StackId, RequestId, LogicalResourceId, ResponseURL } = event
  const answer = { StackId, RequestId, LogicalResourceId, PhysicalResourceId: "OriginSecretHash" }
  const { ok, status } = await fetch(ResponseURL, {
    method: "PUT",
    // The URL is signed for no content type.
    headers: { "content-type": "" },
    body: JSON.stringify({ ...answer, ...resultOf(event) }),
  })
  if (!ok) throw new Error(`CloudFormation did not take the answer: ${status}`)
}
