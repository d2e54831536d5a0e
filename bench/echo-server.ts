import { startEcho } from "./echo.ts"

/** The echo in a process of its own. Prints its address. */
console.log(JSON.stringify({ url: await startEcho() }))
