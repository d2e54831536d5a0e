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
