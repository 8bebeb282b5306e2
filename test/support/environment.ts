/** Runs `work` with environment variables set, those that are undefined unset; afterwards all have their old values. */
export async function withEnvironment<Result>(
  variables: Readonly<Record<string, string | undefined>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  setAll(variables);
  try {
    return await work();
  } finally {
    setAll(before);
  }
}

function setAll(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
