export { keyLines, tokenLines } from "../stage/first-commands.ts"
export { discardBody, type SendRequest, sendRequest } from "../terminal/send-request.ts"
export { createTestHost, type TestHostOptions } from "./test-host.ts"
