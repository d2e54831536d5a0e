import { networkInterfaces } from "node:os"
import { expect, test } from "vitest"
import { isReachable } from "./function-network.ts"

test.each([
  "93.184.215.14",
  "2606:4700:0:0:0:0:0:1111",
  "0:0:0:0:0:ffff:5db8:d70e",
  "64:ff9b:0:0:0:0:5db8:d70e",
])("a function reaches %s in both guarded networks", (address) => {
  expect([isReachable("public", address), isReachable("private", address)]).toEqual([true, true])
})

test.each([
  "127.0.0.1",
  "10.0.0.1",
  "192.168.1.1",
  "169.254.1.1",
  "0:0:0:0:0:0:0:1",
  "fd12:0:0:0:0:0:0:1",
  "0:0:0:0:0:ffff:7f00:1",
])("a function reaches %s only in the network `private`", (address) => {
  expect([isReachable("public", address), isReachable("private", address)]).toEqual([false, true])
})

test.each([
  "169.254.169.254",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "fd00:ec2:0:0:0:0:0:254",
  "2002:7f00:1:0:0:0:0:0",
  "0.0.0.0",
  "224.0.0.1",
  "localhost",
  "",
])("a function never reaches %j", (address) => {
  expect([isReachable("public", address), isReachable("private", address)]).toEqual([false, false])
})

test("a function does not reach this machine by its own addresses in the network `public`", () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  for (const { address } of own) expect(isReachable("public", address)).toBe(false)
})
