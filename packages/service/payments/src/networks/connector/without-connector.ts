import { ApiError } from "@sealway/kernel"

/** Builds the error for a production app without a connector, which never gets made-up answers. */
export function withoutConnector(): ApiError {
  return new ApiError(
    "service-unavailable",
    "The app has no connector to the card networks. Set one with PUT /apps/{app_id}/connector.",
  )
}
