export { type BodyMemory, HELD_PER_BYTE, UNCOUNTED } from "./body/body-memory.ts"
export type { LeakWatch } from "./body/leak-watch.ts"
export { UnreadableBodyError } from "./body/located-body.ts"
export { type ExchangeStage, RelayError } from "./errors/relay-error.ts"
export { SelectorError } from "./errors/selector-error.ts"
export { type ContentType, InvalidContentTypeError, parseContentType } from "./headers/content-type.ts"
export { applicationName, isSelectableHeader } from "./headers/headers.ts"
export { ANY_TYPE, PASSABLE_TYPES, UNTYPED } from "./headers/media-signatures.ts"
export { compareWithCommonDialect } from "./json/dialect-difference.ts"
export { locateJson } from "./json/locate-json.ts"
export { compileJsonPath } from "./jsonpath/compile-json-path.ts"
export { formatOf } from "./message/body-format.ts"
export { headersOfChangedBody } from "./message/headers-of-changed-body.ts"
export { locateBody, type ReadBody } from "./message/locate-body.ts"
export type { Message, TransformOptions } from "./message/message.ts"
export type { MessageCipher, Seal } from "./message/message-cipher.ts"
export { MESSAGE_LIMITS, type MessageLimits } from "./message/message-limits.ts"
export { malformed, messageProblem } from "./message/message-problem.ts"
export { type Leak, MessageReport, type SelectionActivity } from "./message/message-report.ts"
export { withoutOwnSubject } from "./message/message-subjects.ts"
export { requireSize } from "./message/require-size.ts"
export { operationsOf } from "./message/selected-text.ts"
export { transformMessage } from "./message/transform-message.ts"
export { compileOperations, type Operations } from "./operations/compile-operations.ts"
export {
  type Action,
  type Route,
  SELECTION_TYPES,
  type Selection,
  type SelectionType,
  SUBJECT_SOURCES,
  type SubjectSource,
} from "./operations/selection.ts"
export {
  type CompiledRelay,
  compileRelay,
  MAX_ROUTES,
  MAX_SELECTIONS,
  type MatchedRoutes,
  optionsOf,
  type RelayOptions,
  type RelayRules,
} from "./routes/compile-relay.ts"
export { matchRoutes, type RoutedRequest } from "./routes/match-routes.ts"
export { compilePathPattern } from "./routes/path-pattern.ts"
export { compileXmlSelector } from "./xml/compile-xml-selector.ts"
export { prefixesOf, type XmlNamespaces } from "./xml/selector-namespaces.ts"
