export {
  type CompiledSelection,
  compileOperations,
  type Operation,
  type OperationGroup,
  type Operations,
} from "./compile-operations.ts"
export {
  type CompiledRelay,
  compileRelay,
  MAX_ROUTES,
  MAX_SELECTIONS,
  type MatchedRoutes,
} from "./compile-relay.ts"
export { type BodyFormat, formatOf } from "./message/body-format.ts"
export { locateBody, type RawBody, type ReadBody } from "./message/locate-body.ts"
export type { BodyMemory, Message, TransformedMessage, TransformOptions } from "./message/message.ts"
export type { MessageCipher, Seal } from "./message/message-cipher.ts"
export type { MessageLimits } from "./message/message-limits.ts"
export { messageProblem } from "./message/message-problem.ts"
export { MessageReport } from "./message/message-report.ts"
export { transformMessage } from "./message/transform-message.ts"
export { matchRoutes, type RoutedRequest } from "./routes/match-routes.ts"
export type { Action, Route, Selection, SelectionType } from "./selection.ts"
export { SelectorError } from "./selector-error.ts"
