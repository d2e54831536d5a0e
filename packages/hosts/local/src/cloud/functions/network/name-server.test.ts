import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { afterEach, expect, test } from "vitest"
import { answerQueries, type NameServer } from "./name-server.ts"

const opened: Socket[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close()
})

async function open(): Promise<Socket & { readonly place: NameServer }> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1")
  opened.push(socket)
  await once(socket, "listening")
  return Object.assign(socket, { place: { host: "127.0.0.1", port: socket.address().port } })
}

const QUERY = Buffer.from("abcd0100000100000000000000000000", "hex")
const answered = (text: string) => Buffer.concat([QUERY.subarray(0, 2), Buffer.from(text)])

test("passes the server's answer on, and no answer with another query's id", async () => {
  const [server, own, client] = [await open(), await open(), await open()]
  server.on("message", (query, { port }) => {
    expect(query).toEqual(QUERY)
    server.send(Buffer.from("ffffforged"), port)
    server.send(answered("genuine"), port)
  })
  answerQueries(own, [server.place])
  client.send(QUERY, own.place.port, own.place.host)
  expect((await once(client, "message"))[0]).toEqual(answered("genuine"))
})

test("asks the next server when one is not there", async () => {
  const [gone, server, own, client] = [await open(), await open(), await open(), await open()]
  opened.splice(opened.indexOf(gone), 1)
  gone.close()
  server.on("message", (_, { port }) => server.send(answered("second"), port))
  answerQueries(own, [gone.place, server.place])
  client.send(QUERY, own.place.port, own.place.host)
  expect((await once(client, "message"))[0]).toEqual(answered("second"))
})

test("ignores what is shorter than a query", async () => {
  const [server, own, client] = [await open(), await open(), await open()]
  const received: number[] = []
  server.on("message", (query, { port }) => {
    received.push(query.length)
    server.send(answered("x"), port)
  })
  answerQueries(own, [server.place])
  for (const query of [QUERY.subarray(0, 11), QUERY]) client.send(query, own.place.port, own.place.host)
  await once(client, "message")
  expect(received).toEqual([QUERY.length])
})
