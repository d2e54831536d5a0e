/** What a client needs beside `clients/node.ts` or `clients/web.ts`. Loads no module of Node.js. */
export type {
  ClientApp,
  ClientSealing,
  ClientSealingKey,
  ClientValue,
  FileSealing,
} from "./clients/client-sealing.ts"
export { joinBytes } from "./clients/join-bytes.ts"
export { isWholeFile } from "./files/is-whole-file.ts"
export { isRoleSlug } from "./format/role-slug.ts"
export { isToken } from "./format/token-grammar.ts"
