/** The errors of refused requests, by their S3 names. */
export const S3_ERRORS = {
  BadDigest: { status: 400, message: "The body is not the one that was signed." },
  BucketNotEmpty: { status: 409, message: "The bucket that you tried to delete is not empty." },
  EntityTooSmall: { status: 400, message: "A part that is not the last one is smaller than 5 MB." },
  EntityTooLarge: { status: 400, message: "The object is too large." },
  InternalError: { status: 500, message: "The embedded S3 failed. Check that its folder is writable." },
  InvalidBucketName: { status: 400, message: "The bucket's name is not valid." },
  IncompleteBody: { status: 400, message: "The body is shorter than its Content-Length." },
  InvalidArgument: { status: 400, message: "A parameter is not valid." },
  InvalidPart: { status: 400, message: "A part was not uploaded, or has changed." },
  InvalidPartOrder: { status: 400, message: "The parts are not in ascending order." },
  InvalidRange: { status: 416, message: "The range is not within the object." },
  InvalidURI: { status: 400, message: "The path could not be read." },
  MalformedXML: { status: 400, message: "The XML could not be read." },
  MissingContentLength: { status: 411, message: "The request must have a Content-Length." },
  NoSuchBucket: { status: 404, message: "The bucket does not exist." },
  NoSuchKey: { status: 404, message: "The object does not exist." },
  NoSuchUpload: { status: 404, message: "The upload does not exist: it was completed or aborted." },
  NotImplemented: { status: 501, message: "The embedded S3 does not offer this operation." },
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
