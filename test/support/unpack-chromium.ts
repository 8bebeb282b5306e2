import chromium from "@sparticuz/chromium";

// A program of its own: the package reads where to unpack, and what for, from the environment.
console.log(await chromium.executablePath());
