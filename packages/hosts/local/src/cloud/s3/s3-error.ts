/** The errors of the store and of signed URLs, by their S3 names. */
export const S3_ERRORS = {
  AccessDenied: { status: 403, message: "The URL has expired." },
  EntityTooSmall: { status: 400, message: "A part that is not the last one is smaller than 5 MB." },
  EntityTooLarge: { status: 400, message: "The object is too large." },
  InternalError: { status: 500, message: "The storage failed. Check that its folder is writable." },
  InvalidArgument: { status: 400, message: "A parameter is not valid." },
  InvalidPart: { status: 400, message: "A part was not uploaded, or has changed." },
  InvalidPartOrder: { status: 400, message: "The parts are not in ascending order." },
  InvalidRange: { status: 416, message: "The range is not within the object." },
  InvalidURI: { status: 400, message: "The path could not be read." },
  MissingContentLength: { status: 411, message: "The request must have a Content-Length." },
  NoSuchBucket: { status: 404, message: "The bucket does not exist." },
  NoSuchKey: { status: 404, message: "The object does not exist." },
  NoSuchUpload: { status: 404, message: "The upload does not exist: it was completed or aborted." },
  NotImplemented: { status: 501, message: "Signed URLs are not for this operation." },
  SignatureDoesNotMatch: { status: 403, message: "The URL is not signed, or something else was signed." },
  ServiceUnavailable: { status: 503, message: "The disk is full. Objects are refused until there is space." },
} as const

export type S3ErrorCode = keyof typeof S3_ERRORS

export class S3Error extends Error {
  override readonly name = "S3Error"
  readonly code: S3ErrorCode

  constructor(code: S3ErrorCode, options?: ErrorOptions) {
    super(S3_ERRORS[code].message, options)
    this.code = code
  }
}
