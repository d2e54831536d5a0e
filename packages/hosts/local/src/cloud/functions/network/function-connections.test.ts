import { expect, test } from "vitest"
import { FunctionConnections } from "./function-connections.ts"

/** Opens as many as a function gets. */
function openAll(connections: FunctionConnections, name: string): (() => void)[] {
  const open: (() => void)[] = []
  for (let next = connections.open(name); next !== null; next = connections.open(name)) open.push(next)
  return open
}

test("a function with many instances leaves connections to others, and all together have a limit", () => {
  const connections = new FunctionConnections()
  expect(openAll(connections, "first")).toHaveLength(768)
  expect(openAll(connections, "second")).toHaveLength(192)
  const more = Array.from({ length: 100 }, (_, each) => openAll(connections, `other ${each}`).length)
  expect(768 + 192 + more.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_024)
})

test("a connection that has closed is free again, once", () => {
  const connections = new FunctionConnections()
  const [close] = openAll(connections, "first")
  close?.()
  close?.()
  expect(openAll(connections, "first")).toHaveLength(1)
})
