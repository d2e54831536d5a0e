/**
 * ISO 4217: the alphabetic and the numeric code of the currencies and funds in which amounts are given, and their decimal
 * places where these are not two.
 */
const CODES =
  "aed784 afn971 all008 amd051 aoa973 ars032 aud036 awg533 azn944 bam977 bbd052 bdt050 bgn975 bhd0483 bif1080 bmd060 " +
  "bnd096 bob068 brl986 bsd044 btn064 bwp072 byn933 bzd084 cad124 cdf976 chf756 clp1520 cny156 cop170 crc188 cup192 " +
  "cve132 czk203 djf2620 dkk208 dop214 dzd012 egp818 ern232 etb230 eur978 fjd242 fkp238 gbp826 gel981 ghs936 gip292 " +
  "gmd270 gnf3240 gtq320 gyd328 hkd344 hnl340 htg332 huf348 idr360 ils376 inr356 iqd3683 irr364 isk3520 jmd388 jod4003 " +
  "jpy3920 kes404 kgs417 khr116 kmf1740 kpw408 krw4100 kwd4143 kyd136 kzt398 lak418 lbp422 lkr144 lrd430 lsl426 lyd4343 " +
  "mad504 mdl498 mga969 mkd807 mmk104 mnt496 mop446 mru929 mur480 mvr462 mwk454 mxn484 myr458 mzn943 nad516 ngn566 nio558 " +
  "nok578 npr524 nzd554 omr5123 pab590 pen604 pgk598 php608 pkr586 pln985 pyg6000 qar634 ron946 rsd941 rub643 rwf6460 " +
  "sar682 sbd090 scr690 sdg938 sek752 sgd702 shp654 sle925 sos706 srd968 ssp728 stn930 svc222 syp760 szl748 thb764 tjs972 " +
  "tmt934 tnd7883 top776 try949 ttd780 twd901 tzs834 uah980 ugx8000 usd840 uyu858 uzs860 ved926 ves928 vnd7040 vuv5480 " +
  "wst882 xaf9500 xcd951 xcg532 xof9520 xpf9530 yer886 zar710 zmw967 zwg924 bov984 che947 chw948 clf9904 cou970 mxv979 " +
  "usn997 uyi9400 uyw9274"

const ENTRIES = CODES.split(" ").map((entry) => ({
  code: entry.slice(0, 3),
  number: entry.slice(3, 6),
  exponent: Number(entry.slice(6) || "2"),
}))

/** Numeric codes, three digits, by the alphabetic code in lower case. */
export const CURRENCIES: ReadonlyMap<string, string> = new Map(
  ENTRIES.map(({ code, number }) => [code, number]),
)

const EXPONENTS: ReadonlyMap<string, number> = new Map(ENTRIES.map(({ code, exponent }) => [code, exponent]))

/**
 * Returns the decimal places of a currency's amounts.
 *
 * @param currency a key of `CURRENCIES`
 */
export function currencyExponent(currency: string): number {
  const exponent = EXPONENTS.get(currency)
  if (exponent === undefined) throw new TypeError("This is not the code of a currency")
  return exponent
}
