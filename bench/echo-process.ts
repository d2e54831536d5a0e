/** A child process that sends each message back. */
process.on("message", (message) => process.send?.(message))
