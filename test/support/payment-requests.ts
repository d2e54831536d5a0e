/** A merchant that the sandbox enrols at once. */
export const MERCHANT = {
  name: "Corner Shop",
  website: "https://shop.example.com",
  categoryCode: "5411",
  business: {
    legalName: "Corner Shop Limited",
    address: { line1: "1 High Street", city: "Dublin", postalCode: "D01", country: "ie" },
  },
} as const

/** A card that the sandbox keeps up to date. */
export const CARD = { number: "4242424242424242", expiry: { month: "09", year: "39" } } as const

/** A card that Mastercard watches once a payment is declined. */
export const WATCHED_CARD = { number: "5555555555554444", expiry: { month: "09", year: "39" } } as const
