export { compileOperations, type Operations } from "./compile-operations.ts"
export { type ContentType, InvalidContentTypeError, parseContentType } from "./content-type.ts"
export { compareWithCommonDialect } from "./dialect-difference.ts"
export { applicationName, isSelectableHeader } from "./headers.ts"
export { locateJson } from "./json/locate-json.ts"
export { compileJsonPath } from "./jsonpath/compile-json-path.ts"
export type { LeakWatch } from "./leak-watch.ts"
export { UnreadableBodyError } from "./located-body.ts"
export { formatOf } from "./message/body-format.ts"
export { headersOfChangedBody } from "./message/headers-of-changed-body.ts"
export { locateBody, type ReadBody } from "./message/locate-body.ts"
export type { BodyMemory, Message, TransformOptions } from "./message/message.ts"
export type { MessageCipher, Seal } from "./message/message-cipher.ts"
export { MESSAGE_LIMITS, type MessageLimits } from "./message/message-limits.ts"
export { messageProblem } from "./message/message-problem.ts"
export { type Leak, MessageReport, type SelectionActivity } from "./message/message-report.ts"
export { operationsOf } from "./message/places.ts"
export { requireSize } from "./message/require-size.ts"
export { transformMessage } from "./message/transform-message.ts"
export { type ExchangeStage, RelayError } from "./relay-error.ts"
export {
  type CompiledRelay,
  compileRelay,
  MAX_ROUTES,
  MAX_SELECTIONS,
  type MatchedRoutes,
  type RelayOptions,
  type RelayRules,
} from "./routes/compile-relay.ts"
export { matchRoutes, type RoutedRequest } from "./routes/match-routes.ts"
export { compilePathPattern } from "./routes/path-pattern.ts"
export { type Action, type Route, SELECTION_TYPES, type Selection, type SelectionType } from "./selection.ts"
export { SelectorError } from "./selector-error.ts"
export { compileXmlSelector } from "./xml/compile-xml-selector.ts"
export { prefixesOf, type XmlNamespaces } from "./xml/selector-namespaces.ts"
