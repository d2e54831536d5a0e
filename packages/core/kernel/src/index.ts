export { isAdmittedAddress } from "./addresses/admitted-address.ts"
export { clientAddress } from "./addresses/client-address.ts"
export {
  checkDestinationUrl,
  type DestinationRules,
  type DestinationUrl,
  MAX_DESTINATION_URL_CHARACTERS,
  requireDestinationUrl,
} from "./addresses/destination-url.ts"
export { type HostNameRules, isHostName } from "./addresses/host-name.ts"
export { isLoopbackHost } from "./addresses/loopback-host.ts"
export { type PlainUrl, parsePlainUrl } from "./addresses/plain-url.ts"
export { ChunkList } from "./bytes/chunk-list.ts"
export {
  decodeBase64InSteps,
  decodeUtf8InSteps,
  encodeBase64InSteps,
  encodeUtf8InSteps,
  piecesOfText,
  piecesOfUtf8,
} from "./bytes/convert-in-steps.ts"
export { equalInConstantTime } from "./bytes/equal-in-constant-time.ts"
export { joinChunks, joinChunksInSteps } from "./bytes/join-chunks.ts"
export { openBytes, SEAL_BYTES, sealBytes } from "./bytes/sealed-bytes.ts"
export { KB, MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES, MAX_SEALED_VALUES, MB } from "./bytes/sizes.ts"
export { type BoundedMap, createBoundedMap } from "./caches/bounded-map.ts"
export { type Cache, createCache } from "./caches/cache.ts"
export {
  CARD_BRANDS,
  type CardBrand,
  type CardNumber,
  cardBrandOf,
  parseCardNumber,
  passesLuhn,
} from "./card-number.ts"
export type { Clocks } from "./clocks.ts"
export { errorCodeOf } from "./errors/error-code.ts"
export {
  API_ERROR_CODES,
  ApiError,
  type ApiErrorCode,
  CancelledError,
  ConflictError,
  type ErrorCode,
  type FieldProblem,
  ForbiddenError,
  InvalidRequestError,
  invalidField,
  isErrorCode,
  isRelayErrorCode,
  KeyUnavailableError,
  NotFoundError,
  OverloadedError,
  PayloadTooLargeError,
  PROBLEM_CONTENT_TYPE,
  PROBLEMS,
  type ProblemBody,
  problemBody,
  RELAY_ERROR_CODES,
  type RelayErrorCode,
  SealwayError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
} from "./errors/errors.ts"
export { formatCount } from "./format-count.ts"
export { DATA_SUBJECT } from "./ids/data-subject.ts"
export {
  createId,
  ID_RANDOM_BYTES,
  type IdPrefix,
  idPattern,
  idsFrom,
  isId,
  MAX_ID_CHARACTERS,
  randomPartOf,
  timeOfId,
} from "./ids/ids.ts"
export { createRandomIds } from "./ids/random-ids.ts"
export { countJsonItems } from "./json/count-items.ts"
export {
  decodeJsonString,
  decodeJsonStringInSteps,
  unescapeJsonString,
  unescapeLooselyInSteps,
} from "./json/decode-json-string.ts"
export {
  type MemberRange,
  RepeatedMemberError,
  readMembers,
  readMembersInSteps,
} from "./json/json-members.ts"
export { jsonPointer, pointerAtOffsetInSteps } from "./json/json-pointer.ts"
export { jsonProblem, MAX_JSON_DEPTH } from "./json/json-problem.ts"
export { AmbiguousJsonError, parseStrictJson, parseStrictJsonInSteps } from "./json/parse-strict-json.ts"
export { parsedBytesInSteps, reserveToParse, UNWEIGHED_BYTES } from "./json/parsed-bytes.ts"
export {
  JsonDepthError,
  JsonSyntaxError,
  type ScalarKind,
  scanJson,
  scanJsonInSteps,
} from "./json/scan-json.ts"
export { type Edit, spliceBytes, spliceBytesInSteps } from "./json/splice-bytes.ts"
export { SpliceWriter } from "./json/splice-writer.ts"
export { writeJsonString } from "./json/write-json-string.ts"
export { LINES, LINES_RULE, ONE_LINE, ONE_LINE_RULE } from "./one-line.ts"
export { escapeHtml } from "./pages/escape-html.ts"
export { pageData } from "./pages/page-data.ts"
export { sourceHash } from "./pages/source-hash.ts"
export {
  announcesBody,
  eachHeader,
  endsConnection,
  headerLines,
  headerOf,
  headersWithout,
  headerValues,
  type RawHeaders,
  someHeader,
  statedLength,
} from "./raw-headers.ts"
export { childTraceparent, readTraceContext, type TraceContext } from "./tracing/trace-context.ts"
export { loadOnce } from "./work/load-once.ts"
export { andThen, type MaybePromise } from "./work/maybe-promise.ts"
export { Pace } from "./work/pace.ts"
export { processTask, processTurns } from "./work/process-turns.ts"
export {
  RequestTask,
  type RequestTaskOptions,
  type Task,
  type TaskMemory,
  type TaskOwner,
} from "./work/task.ts"
export { createTurnEnd } from "./work/turn-end.ts"
export { type Cancellation, createTurns, type Turns, type TurnsOptions } from "./work/turns.ts"
export { finish, type Work, waitFor } from "./work/work.ts"
