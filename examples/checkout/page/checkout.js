// The page: shows the frame in which the card is typed, lets the bank ask its holder, and shows what became of the payment.
import { authenticate } from "./authenticate.js"

const $ = (id) => document.getElementById(id)
const config = await (await fetch("/config")).json()
// Defines `Sealway`.
await import(`${config.sealway}/elements/scripts/sealway.js`)
const { teamId, appId, role, sealway: baseUrl } = config
const card = new Sealway.SealwayPage({ teamId, appId, baseUrl }).fields.card($("fields"), {
  role,
  locale: "en",
})
const price = new Intl.NumberFormat("en-IE", { style: "currency", currency: config.item.currency })
const total = price.format(config.item.amount / 100)
$("item").textContent = config.item.name
for (const place of document.querySelectorAll("[data-total]")) place.textContent = total
$("card").addEventListener("submit", (event) => {
  event.preventDefault()
  pay().catch(() => end({ status: "declined", reason: "Something went wrong. Try again in a moment." }))
})
for (const button of document.querySelectorAll(".leave")) {
  button.addEventListener("click", () => show("card"))
}
card.on("enter", () => $("card").requestSubmit())
await card.ready
show("card")

async function pay() {
  const sealed = await card.submit().catch(unlessInvalid)
  // The frame says what is wrong.
  if (sealed === null) return

  show("working")
  card.clear()
  reach("encrypted")
  const { number, cvc, expiry } = sealed
  const order = await post("/orders", { card: { number, cvc, expiry } })
  if (order.status !== "authenticating") return end({ ...order, status: "declined" })

  show("bank")
  await authenticate({ url: order.authenticate, sealway: config.sealway, place: $("frame") })
  show("working")
  end(await outcomeOf(order))
}

/** Asks what became of an order, again if need be: however often it is asked, an order is charged once. */
async function outcomeOf({ id }) {
  for (let tries = 1; tries <= 5; tries++) {
    const order = await post(`/orders/${id}/payment`).catch(() => null)
    if (order?.status === "paid" || order?.status === "declined") return order
    await new Promise((resolve) => setTimeout(resolve, tries * 500))
  }
  return { status: "unknown", reason: "Ask us before you pay again." }
}

async function post(path, body = {}) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  return response.json()
}

const TITLES = {
  paid: "Thank you. Your order is paid.",
  declined: "Your card was not charged.",
  unknown: "We do not know yet whether you have paid.",
}

function end({ status, reason, receipt }) {
  const isPaid = status === "paid"
  if (isPaid) for (const step of ["confirmed", "paid"]) reach(step)
  $("result-title").textContent = TITLES[status]
  $("result-text").textContent = isPaid ? `${total}, reference ${receipt.reference}` : reason
  $("shop-saw").textContent = receipt?.shopSaw ?? ""
  $("processor-saw").textContent = receipt?.processorSaw ?? ""
  $("who-saw").hidden = !isPaid
  $("again").hidden = status !== "declined"
  show("result")
}

/** Shows one part of the page: the form, that something is under way, the bank, or the result. */
function show(part) {
  for (const name of ["card", "working", "bank", "result"]) $(name).hidden = name !== part
  if (part === "card") for (const step of document.querySelectorAll(".steps li")) step.className = ""
  if (part === "bank") $("bank").focus()
  else $("frame").replaceChildren()
  document.body.dataset.part = part
}

function reach(step) {
  $(step).className = "reached"
}

function unlessInvalid(error) {
  if (error instanceof Sealway.InvalidFieldsError) return null
  throw error
}
