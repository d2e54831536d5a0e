import { describe, expect, test } from "vitest"
import { prefersHtml } from "./prefers-html.ts"

describe("an Accept header", () => {
  test.each([
    // Firefox, Chromium and Safari.
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "text/html",
    "TEXT/HTML; q=1.000",
    "text/*",
    "text/html, application/json",
    "application/json;q=0.5, text/html;q=0.9",
    "application/json;q=0, */*",
    "text/html;q=0.001",
    "text/html, */*",
  ])("asks for HTML: %s", (accept) => {
    expect(prefersHtml(accept)).toBe(true)
  })

  test.each([
    undefined,
    "",
    "*/*",
    "application/json",
    "application/json, text/html",
    "application/json, text/*;q=0.9",
    "application/json, text/plain, */*",
    "text/html;q=0",
    "text/html;q=0, */*",
    "text/html;q=2",
    "text/html;q=1.001",
    "text/html;q=",
    "text/html;q=x, application/json;q=0.1",
    "text/plain",
    "image/png",
    "text/htmlx",
    ",;,;;q=1,",
  ])("prefers JSON: %s", (accept) => {
    expect(prefersHtml(accept)).toBe(false)
  })
})
