import { domainToASCII, domainToUnicode } from "node:url";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isHomographHost } from "../../../domain/tracking-links/idn-homographs.ts";
import { decodePunycode } from "../../../domain/tracking-links/punycode.ts";

const asSent = (host: string): string => new URL(`https://${host}/`).hostname;

const accepted = suite("hosts that read as nothing but themselves");

const plainHosts: readonly string[] = [
  ...["shop.example", "a-1.b--2.example", "127.0.0.1", "[::1]", "localhost", "shop.example."],
  ...["bücher.de", "việtnam.vn", "łódź.pl", "færøerne.dk", "pi\u0148a.cz", "ýþðæ.is"],
  ...["яндекс.рф", "россия.net", "ελλάδα.gr", "հայաստան.am", "საქართველო.ge", "ישראל.co.il", "مصر.com", "ประเทศไทย.th"],
  ...["भारत.com", "বাংলা.com", "இந்தியா.com", "ശ്രീ.com", "മലയാളം.com", "မြန်မာ.com", "ኢትዮጵያ.com", "བོད་ཡིག.com"],
  ...["한국.kr", "쇼핑24.kr", "日本語.jp", "中一.cn", "ノート.jp", "データ.jp", "ポケモン.jp", "いすゞ.jp", "〆切.jp"],
  "москва.com", // в and м are small capitals, which are told apart from b and m
  "тест.com",
  "роза.com", // з is read as a digit among digits only
  "рор.рф", // the top-level domain tells that it is Cyrillic
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

const lookAlikeHosts: readonly (readonly [string, string])[] = [
  ["аррӏе.com", "apple"],
  ["сосо.com", "coco"],
  ["ԍоо.com", "goo"],
  ["ѵк.com", "vk"],
  ["ыоо.com", "bloo"],
  ["үаһоо.com", "yahoo, in Kazakh letters"],
  ["νονο.com", "vovo"],
  ["ϳαχ.com", "jax"],
  ["օոսհ.com", "onuh"],
  ["ხოყ.com", "xoy"],
  ["ከዐ.com", "no"],
  ["סוס.com", "olo"],
  ["اه.com", "ol"],
  ["ટડ.com", "ss"],
  ["ധന.com", "wn"],
  ["ပဝ.com", "uo"],
  ["พบ.com", "wu"],
  ["ㄒㄩ.com", "Tu"],
  ["ꙩꙩ.com", "oo, archaic letters"],
  ["ϝοͷ.com", "Fov, archaic letters"],
  ["་.com", "a dot"],
  ["аррӏе\u0483.com", "apple under an archaic mark"],
  ["ס\u05bcס.com", "oo with a point"],
  ["аррӏе-1.com", "digits and hyphens tell no script"],
  ["рор.gr", "a top-level domain that tells nothing"],
  ["рор.ru", "a country's is no exception"],
  ["рор.ελ", "another script's"],
  ["аррӏе.中国", "another script's"],
  ["shop.орг", "a top-level domain of look-alikes alone"],
  ["123.со", "the same below digits"],
  ["рор.орг", "pop.opr: Cyrillic all over, and nothing tells"],
  ["сосо.аррӏе.com", "two of them"],
  ["привет.аррӏе.com", "other labels of its script, which others own"],
  ["www.аррӏе.com.", "the root written out"],
  ["XN--80AK6AA92E.com", "upper-case punycode"],
  ["аррӏе", "a host of one label"],

  ["зоо.com", "300"],
  ["з6о.com", "360"],
  ["२०२४.com", "digits alone"],
  ["۱۲۳.com", "digits alone"],
  ["༢༣.com", "digits alone"],
  ["ვპ.com", "33"],
  ["९9.com", "two kinds of digits"],

  ["pаypal.com", "Cyrillic among Latin"],
  ["gοοgle.com", "Greek among Latin"],
  ["gօօgle.com", "Armenian among Latin"],
  ["google๐.com", "a Thai digit among Latin"],
  ["ɢoogle.com", "a phonetic letter"],
  ["googıe.com", "dotless i"],
  ["ĸ.com", "kra"],
  ["i\u0307x.com", "a second dot on i"],
  ["j\u0307x.com", "a second dot on j"],
  ["l\u0307x.com", "a dot on l"],
  ["a\u0338x.com", "a slash over a"],
  ["paypal·com.com", "a middle dot"],
  ["paypalʼs.com", "an apostrophe that is a letter"],
  ["google\u0f37.com", "a Tibetan mark"],
  ["paypal\u3099.com", "a voicing mark"],
  ["paypal\u302a.com", "a tone mark"],
  ["ᎪᏢᏢᏞᎬ.com", "Cherokee"],
  ["ꓮꓑꓑ.com", "Lisu"],
  ["💩.com", "signs are no letters"],
  ["⁄evil.com", "a fraction slash"],
  ["com∕evil.com", "a division slash"],
  ["com\u2010evil.com", "another hyphen"],
  ["com‒evil.com", "a dash"],

  ...[..."ノンソゾ丿丶乀乁乛亅丨〳〴〵一ーㅡㅣㆍㄧ・〇ヽヾゝゞ"].flatMap((letter): readonly [string, string][] => [
    [`com${letter}evil.com`, "punctuation or l among Latin"],
    [`com1${letter}.com`, "after a digit"],
    [`${letter}com.com`, "before Latin"],
    [`com${letter}${letter}com.com`, "more of them"],
    [`${letter}.com`, "alone"],
    [`${letter}${letter}.com`, "alone"],
  ]),
  ["comノ中evil.com", "what follows does not matter"],
  ["日本・com.com", "a dot before Latin"],
  ["中丨com.com", "a bar before Latin"],
  ["日本・.com", "a dot at the end"],
  ["・日本.com", "a dot at the start"],
  ["fac七book.com", "t"],
  ["丁witter.com", "T"],
  ["工bm.com", "I"],
  ["エbm.com", "I"],
  ["乂box.com", "x"],
  ["メbox.com", "x"],
  ["g이f.com", "ol"],
  ["1十1.com", "+"],
  ["七-丁.com", "t-T"],
  ["𠄌ine.com", "a rare ideograph of one stroke"],
  ["fㄨx.com", "Bopomofo among Latin"],

  ["xn--abc-.com", "punycode of ASCII"],
  [`${"а".repeat(57)}.com`, "a label of 63 characters, as long as one can be"],
];
for (const [host, as] of lookAlikeHosts) {
  refused(`${host.slice(0, 30)} (${as})`, () => {
    assert.is(isHomographHost(asSent(host)), true);
  });
}

for (const label of ["xn--", "xn--a", "xn--!", "xn--zzzzzzz999999", "xn--99999999999", `xn--${"a".repeat(59)}`]) {
  refused(`${label} (punycode of nothing)`, () => {
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
  .filter(({ label, replaced }) => label !== replaced && URL.canParse(`https://${replaced}.com/`));

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
