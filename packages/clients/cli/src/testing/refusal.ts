import { ApiError, RateLimitError } from "@sealway/sdk/api"

/** Makes what the SDK throws when the service refuses a request. */
export function refusal(
  status: number,
  code: string,
  {
    detail = "refused",
    fields = [],
    retryAfterMs = null,
  }: Partial<ConstructorParameters<typeof ApiError>[0]> = {},
): ApiError {
  const Kind = status === 429 ? RateLimitError : ApiError
  return new Kind({ code, detail, status, fields, requestId: null, retryAfterMs })
}
