/** Values that differ from run to run, by placeholder. Lower-case text in front of the name is kept. */
const VARYING: readonly (readonly [name: string, of: RegExp])[] = [
  // A moment that a command is told stays: it is in this year.
  ['TIME', /(?!2030-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g],
  ['DATE', /\b(?!2030-)20\d\d-\d\d-\d\d\b/g],
  ['CLOCK', /\b\d\d:\d\d:\d\d\b/g],
  ['EPOCH', /(?<="(?:created|expires|last_used)"{1,2}: ?)\d{10}\b|(?<=,)1[78]\d{8}(?=,)|\b(?:1[6-9]|2\d)\d{11}\b/g],
  ['DEVICE', /(?<=\bdev_)[0-9a-f]{40}\b/g],
  ['ACCOUNT', /(?<=\bacct_|\bINV-\d{4}-\d\d-)(?:[0-9a-f]{40}|\w{20})\b/g],
  ['KEY', /(?<=\bkey_)\w{16}\b/g],
  ['REQUEST', /(?<=\breq_)\w{26}\b/g],
  ['SECRET', /(?<=\bsvc_)\w{42}\b/g],
  ['MASK', /(?<=\bsvc_)\w{4}(?=…)/g],
  ['REVISION', /\b[0-9a-f]{12}\b/g],
  ['MONTH', /(?<=^|\bINV-|"month":")(?!2030|2020)20\d\d-\d\d\b(?!-\d\d\b)/gm],
  ['PORT', /(?<=127\.0\.0\.1:)\d{5}\b/g],
]

/** Values whose length varies too. */
const SPANS: readonly (readonly [written: string, of: RegExp])[] = [
  ['(MS ms)', /\(\d+ ms\)/g],
  ['  MS ms  ', / {2}\d+ ms {2}/g],
  ['$1MS', /("ms":)\d+/g],
  // Another hour begins at any time.
  ['$$USD of $1 in this hour', /\$[\d.]+ of (\$\d+) in this hour/g],
  ['$1"USD"', /("hour_usd":)"[\d.]+"/g],
  // How many requests are of the last ten seconds is a matter of how busy the machine is.
  ['', /, \d+ retried of \d+ in 10 s/g],
  // A column is as wide as the path of a file in it.
  ['TOKEN  GATEWAY', /TOKEN +GATEWAY/g],
  ['prod  https', /(?<=\* {2})prod +https/g],
  // Numbers of processes have different lengths.
  ['GATEWAY  REVISION', /GATEWAY +REVISION/g],
  ['*  HOST:PID  REVISION', /\* {2}[\w.-]+:\d+ +REVISION/g],
  ['$1"HOST:PID"', /("gateway":)"[\w.-]+:\d+"/g],
  ['$1"HOST:PID"', /("gateways":\[)"[\w.-]+:\d+"/g],
  ['HOST:PID runs', /[\w.-]+:\d+ runs/g],
  ['node NODE, PLATFORM', /node \d+\.\d+\.\d+, [\w-]+/g],
  ['"node":"NODE","platform":"PLATFORM"', /"node":"v[\d.]+","platform":"[\w-]+"/g],
  ['HOST:PID,', /^[\w.-]+:\d+,/gm],
  ['$1N', /("(?:requests|retries)_10s":)\d+/g],
]

/** A text with names for what differs from run to run, each as wide as what it stands for, so that columns stay in line. */
export function withPlaceholders(text: string, dir: string): string {
  const named = VARYING.reduce(
    (all, [name, of]) => all.replace(of, found => name.padEnd(found.length, '_')),
    text.replaceAll(dir, '/DIR'),
  )
  return SPANS.reduce((all, [written, of]) => all.replace(of, written), named)
}
