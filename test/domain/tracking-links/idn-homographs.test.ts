import { domainToASCII, domainToUnicode } from "node:url";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isHomographHost } from "../../../domain/tracking-links/idn-homographs.ts";
import { decodePunycode } from "../../../domain/tracking-links/punycode.ts";
import { parsedUrl } from "../../../domain/values/url.ts";

const asSent = (host: string): string => new URL(`https://${host}/`).hostname;

const accepted = suite("hosts that read as no other host");

const plainHosts: readonly string[] = [
  ...["shop.example", "a-1.b--2.example", "127.0.0.1", "[::1]", "localhost", "shop.example."],
  ...["bücher.de", "việtnam.vn", "łódź.pl", "færøerne.dk", "pi\u0148a.cz", "ýþðæ.is"],
  ...["яндекс.рф", "россия.net", "ελλάδα.gr", "հայաստան.am", "საქართველო.ge", "ישראל.co.il", "مصر.com", "ประเทศไทย.th"],
  ...["भारत.com", "বাংলা.com", "இந்தியா.com", "ശ്രീ.com", "മലയാളം.com", "မြန်မာ.com", "ኢትዮጵያ.com", "བོད་ཡིག.com"],
  ...["한국.kr", "쇼핑24.kr", "日本語.jp", "中一.cn", "ノート.jp", "データ.jp", "ポケモン.jp", "いすゞ.jp", "〆切.jp"],
  "москва.com", // в and м are small capitals, which are distinguishable from b and m
  "тест.com",
  "роза.com", // з is read as a digit among digits only
  "рор.рф", // the top-level domain confirms the script
  "привет.орг", // as the label before it does for a top-level domain of look-alikes
  "рор.xn--p1ai.", // also with the root written out
  "νέα.gr", // an accent is seen
  "học.vn", // also the dot below that Vietnamese needs
  "đà-nẵng.vn",
  "złoty.pl", // and a stroke
  "ёж.com",
  "दिल्ली२.com", // its own digits beside its own letters
  "ビタミンb6.jp", // ン ends a word here
  "サーバー2.jp",
  "第一1.cn",
  "マイケル・ジャクソン.jp", // the dot of names, between kana
  "十一.com", // 十 is a cross among ideographs, and a t only among Latin letters
  "web工房.jp",
  "1丁目.jp",
  "二〇二四.cn",
  "𠮷野家24.jp",
  `${"ж".repeat(57)}.com`, // a label of 63 characters, as long as one can be
];
for (const host of plainHosts) {
  accepted(host, () => {
    assert.is(isHomographHost(asSent(host)), false);
  });
}

const refused = suite("hosts that read as others");

/** Letters that read as punctuation or as l beside Latin ones. */
const strokes = "ノンソゾ丿丶乀乁乛亅丨〳〴〵一ーㅡㅣㆍㄧ・〇ヽヾゝゞ";

for (const [reason, ...labels] of [
  [
    "one script throughout that reads as Latin",
    "аррӏе сосо ԍоо ѵк ыоо үаһоо νονο ϳαχ օոսհ ხოყ ከዐ סוס اه ટડ ധന ပဝ พบ ㄒㄩ",
  ],
  ["archaic letters, points and marks", "ꙩꙩ ϝοͷ ་ аррӏе\u0483 ס\u05bcס"],
  ["digits and hyphens show no script", "аррӏе-1"],
  ["a number", "зоо з6о २०२४ ۱۲۳ ༢༣ ვპ"],
  ["two kinds of digits", "९9"],
  ["another script among Latin", "pаypal gοοgle gօօgle google๐"],
  ["phonetic and dotless letters", "ɢoogle googıe ĸ"],
  ["marks over Latin letters", "i\u0307x j\u0307x l\u0307x a\u0338x google\u0f37 paypal\u3099 paypal\u302a"],
  ["signs and punctuation", "paypal·com paypalʼs 💩 ⁄evil com∕evil com\u2010evil com‒evil"],
  ["scripts that look like Latin capitals", "ᎪᏢᏢᏞᎬ ꓮꓑꓑ"],
  ...[...strokes].map((letter) => {
    const label = (text: string) => text.replaceAll("?", letter);
    return [`${letter} beside Latin, or alone`, label("com?evil com1? ?com com??com ? ??")] as const;
  }),
  ["a stroke beside Latin, whatever follows", "comノ中evil 日本・com 中丨com 日本・ ・日本"],
  ["ideographs that read as Latin", "fac七book 丁witter 工bm エbm 乂box メbox g이f 1十1 七-丁 𠄌ine fㄨx"],
  ["a label of 63 characters", "а".repeat(57)],
] as const) {
  refused(reason, () => {
    for (const label of labels.join(" ").split(" ")) assert.is(isHomographHost(asSent(`${label}.com`)), true, label);
  });
}

for (const [host, reason] of [
  ["рор.gr", "a top-level domain of another script"],
  ["рор.ru", "a country's domain is no exception"],
  ["рор.ελ", "another script's top-level domain"],
  ["аррӏе.中国", "another script's top-level domain"],
  ["shop.орг", "a top-level domain of look-alikes alone"],
  ["123.со", "a top-level domain of look-alikes below digits"],
  ["рор.орг", "look-alikes in both labels"],
  ["сосо.аррӏе.com", "two labels of look-alikes"],
  ["привет.аррӏе.com", "other labels do not confirm the script: they can have other owners"],
  ["www.аррӏе.com.", "the root is written out"],
  ["XN--80AK6AA92E.com", "upper-case punycode"],
  ["аррӏе", "a host of one label"],
  ["xn--abc-.com", "punycode of ASCII"],
] as const) {
  refused(`${host} (${reason})`, () => {
    assert.is(isHomographHost(asSent(host)), true);
  });
}

for (const label of ["xn--", "xn--a", "xn--!", "xn--zzzzzzz999999", "xn--99999999999", `xn--${"a".repeat(59)}`]) {
  refused(`${label} (invalid punycode)`, () => {
    assert.is(isHomographHost(`${label}.com`), true);
  });
}

const everywhere = suite("every host");

const word = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/).filter((label) => !label.startsWith("xn--"));

everywhere("of ASCII labels is itself", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (labels) => {
      assert.is(isHomographHost(labels.join(".")), false);
    }),
  );
});

/** By letter, what looks like it in Cyrillic, Greek, Armenian and the scripts that mix with Latin. */
const lookAlikes: Readonly<Record<string, readonly string[]>> = {
  a: ["а", "α"],
  b: ["ь", "ъ"],
  c: ["с", "ϲ"],
  d: ["ԁ"],
  e: ["е", "ҽ"],
  g: ["ԍ", "ց"],
  h: ["һ", "հ"],
  i: ["і", "ι"],
  j: ["ј", "ϳ", "յ"],
  k: ["к", "κ"],
  l: ["ӏ", "丨", "ㅣ"],
  n: ["п", "η", "ո"],
  o: ["о", "ο", "օ", "〇"],
  p: ["р", "ρ"],
  q: ["ԛ", "գ"],
  r: ["г"],
  s: ["ѕ"],
  t: ["τ"],
  u: ["υ", "ս"],
  v: ["ѵ", "ν"],
  w: ["ԝ", "ѡ", "ω"],
  x: ["х", "χ"],
  y: ["у", "ү", "γ"],
  "-": ["一", "ー", "ㅡ"],
};
const replacing = word
  .chain((label) =>
    fc.tuple(
      fc.constant(label),
      fc.tuple(...[...label].map((letter) => fc.constantFrom(letter, ...(lookAlikes[letter] ?? [])))),
    ),
  )
  .map(([label, letters]) => ({ label, replaced: letters.join("") }))
  .filter(({ label, replaced }) => label !== replaced && parsedUrl(`https://${replaced}.com/`) !== null);

everywhere("with letters replaced by look-alikes reads as another", () => {
  fc.assert(
    fc.property(replacing, fc.constantFrom("com", "example", "co.uk"), ({ replaced }, domain) => {
      assert.is(isHomographHost(asSent(`${replaced}.${domain}`)), true);
    }),
    { numRuns: 1_000 },
  );
});

everywhere("is read from punycode as it was written", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (label) => {
      const encoded = domainToASCII(label);
      if (!encoded.startsWith("xn--") || encoded.includes(".")) return;
      assert.is(decodePunycode(encoded.slice("xn--".length)), domainToUnicode(encoded));
    }),
  );
});

accepted.run();
refused.run();
everywhere.run();
