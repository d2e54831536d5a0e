import type { TextName, Texts } from "@sealway/sdk/protocol"

type AllTexts = Readonly<Record<TextName, string>>

const EN: AllTexts = {
  number: "Card number",
  expiry: "Expiry date",
  cvc: "Security code",
  pin: "PIN",
  text: "Secret",
  expiryPlaceholder: "MM / YY",
  required: "Required.",
  numberIncomplete: "The card number is incomplete.",
  numberInvalid: "Check the card number.",
  expiryInvalid: "Enter month and year.",
  expired: "This card has expired.",
  cvcInvalid: "Check the security code.",
  pinInvalid: "The PIN is too short.",
  textInvalid: "This is too short.",
  copy: "Copy",
  copied: "Copied",
  hidden: "Hidden",
  loading: "Loading…",
  failed: "This value cannot be shown.",
}

const TEXTS: ReadonlyMap<string, AllTexts> = new Map([
  ["en", EN],
  [
    "de",
    {
      number: "Kartennummer",
      expiry: "Ablaufdatum",
      cvc: "Prüfziffer",
      pin: "PIN",
      text: "Geheimnis",
      expiryPlaceholder: "MM / JJ",
      required: "Pflichtfeld.",
      numberIncomplete: "Die Kartennummer ist unvollständig.",
      numberInvalid: "Bitte prüfen Sie die Kartennummer.",
      expiryInvalid: "Bitte Monat und Jahr eingeben.",
      expired: "Diese Karte ist abgelaufen.",
      cvcInvalid: "Bitte prüfen Sie die Prüfziffer.",
      pinInvalid: "Die PIN ist zu kurz.",
      textInvalid: "Die Eingabe ist zu kurz.",
      copy: "Kopieren",
      copied: "Kopiert",
      hidden: "Verborgen",
      loading: "Wird geladen …",
      failed: "Dieser Wert kann nicht angezeigt werden.",
    },
  ],
  [
    "fr",
    {
      number: "Numéro de carte",
      expiry: "Date d’expiration",
      cvc: "Cryptogramme",
      pin: "Code PIN",
      text: "Secret",
      expiryPlaceholder: "MM / AA",
      required: "Champ obligatoire.",
      numberIncomplete: "Le numéro de carte est incomplet.",
      numberInvalid: "Vérifiez le numéro de carte.",
      expiryInvalid: "Indiquez le mois et l’année.",
      expired: "Cette carte a expiré.",
      cvcInvalid: "Vérifiez le cryptogramme.",
      pinInvalid: "Le code PIN est trop court.",
      textInvalid: "La saisie est trop courte.",
      copy: "Copier",
      copied: "Copié",
      hidden: "Masqué",
      loading: "Chargement…",
      failed: "Cette valeur ne peut pas être affichée.",
    },
  ],
  [
    "es",
    {
      number: "Número de tarjeta",
      expiry: "Fecha de caducidad",
      cvc: "Código de seguridad",
      pin: "PIN",
      text: "Secreto",
      expiryPlaceholder: "MM / AA",
      required: "Campo obligatorio.",
      numberIncomplete: "El número de tarjeta está incompleto.",
      numberInvalid: "Compruebe el número de tarjeta.",
      expiryInvalid: "Indique el mes y el año.",
      expired: "Esta tarjeta ha caducado.",
      cvcInvalid: "Compruebe el código de seguridad.",
      pinInvalid: "El PIN es demasiado corto.",
      textInvalid: "El texto es demasiado corto.",
      copy: "Copiar",
      copied: "Copiado",
      hidden: "Oculto",
      loading: "Cargando…",
      failed: "Este valor no se puede mostrar.",
    },
  ],
  [
    "ar",
    {
      number: "رقم البطاقة",
      expiry: "تاريخ الانتهاء",
      cvc: "رمز الأمان",
      pin: "الرقم السري",
      text: "القيمة السرية",
      expiryPlaceholder: "MM / YY",
      required: "حقل مطلوب.",
      numberIncomplete: "رقم البطاقة غير مكتمل.",
      numberInvalid: "تحقق من رقم البطاقة.",
      expiryInvalid: "أدخل الشهر والسنة.",
      expired: "انتهت صلاحية هذه البطاقة.",
      cvcInvalid: "تحقق من رمز الأمان.",
      pinInvalid: "الرقم السري قصير جدًا.",
      textInvalid: "النص قصير جدًا.",
      copy: "نسخ",
      copied: "تم النسخ",
      hidden: "مخفي",
      loading: "جارٍ التحميل…",
      failed: "لا يمكن عرض هذه القيمة.",
    },
  ],
])
const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur", "ps", "sd", "ug", "yi", "dv", "ckb"])

const languageOf = (locale: string) => locale.toLowerCase().split("-")[0] ?? ""

/** Returns the texts of a locale, or English where there is no translation; those that the page gives come first. */
export function textsOf(locale: string, given: Texts): AllTexts {
  return { ...EN, ...TEXTS.get(languageOf(locale)), ...given }
}

export const directionOf = (locale: string): "ltr" | "rtl" =>
  RIGHT_TO_LEFT.has(languageOf(locale)) ? "rtl" : "ltr"
