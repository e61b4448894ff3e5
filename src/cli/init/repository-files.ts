import { MARKER } from '../plan/markdown-comment.ts'
import { IN_IMAGE, installLines, LINK, type PinnedPackage, variablesOf } from './pinned-package.ts'

/** The files that make a folder of policies a repository whose changes are checked, by their names. */
export const repositoryFiles = (pinned: PinnedPackage): Readonly<Record<string, string | Uint8Array>> => ({
  '.github/workflows/policies.yml': github(pinned),
  '.gitlab-ci.yml': gitlab(pinned),
  'README.md': readme(pinned),
  ...(pinned.kind === 'file' && { [pinned.path]: pinned.bytes }),
})

/** The package in the variables of a workflow, whose block is indented by two. */
const pinOf = (pinned: PinnedPackage): string =>
  `  # The svcctl of your gateways, pinned by its hash: README.md explains how to change the version.
${variablesOf(pinned)
  .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
  .join('\n')}`

const indented = (lines: readonly string[], indent: string): string => lines.map(line => `${indent}${line}`).join('\n')

const installStep = (pinned: PinnedPackage): string => `      - name: Install svcctl
        run: |
${indented(installLines(pinned), '          ')}`

const github = (
  pinned: PinnedPackage,
): string => `# Checks the policies in each change, and describes it in the pull request. It needs no secret and no gateway.
name: policies
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

env:
${pinOf(pinned)}

jobs:
  check:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write # problems become alerts of code scanning
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
${installStep(pinned)}
      - run: .svcctl/bin/svcctl fmt --check
      - run: .svcctl/bin/svcctl validate --strict --allow-missing-env --format github
      - run: .svcctl/bin/svcctl test
      - if: always()
        run: .svcctl/bin/svcctl validate --allow-missing-env --format sarif > policies.sarif
      - if: always()
        uses: github/codeql-action/upload-sarif@v3
        continue-on-error: true # a private repository may have no code scanning
        with:
          sarif_file: policies.sarif
          category: policies

  plan:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write # the comment
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # what the change is compared with
      - uses: actions/setup-node@v4
        with:
          node-version: 24
${installStep(pinned)}
      # Where the repository has the variable SVCCTL_ADMIN, that gateway is asked whom the change touches: README.md says how.
      - env:
          SVCCTL_ADMIN: \${{ github.event.pull_request.head.repo.full_name == github.repository && vars.SVCCTL_ADMIN || '' }}
          SVCCTL_TOKEN: \${{ secrets.SVCCTL_TOKEN }}
          PEM_CA: \${{ secrets.SVCCTL_CA }}
          PEM_CERT: \${{ secrets.SVCCTL_CERT }}
          PEM_KEY: \${{ secrets.SVCCTL_KEY }}
        run: |
          for name in CA CERT KEY; do
            text=PEM_$name file=$RUNNER_TEMP/$name.pem
            if [ -n "\${!text}" ]; then echo "\${!text}" > "$file"; export "SVCCTL_$name=$file"; fi
          done
          plan() { .svcctl/bin/svcctl plan --format markdown "$@" > plan.md; }
          if [ -n "$SVCCTL_ADMIN" ] && plan; then exit; fi
          plan --against "origin/$GITHUB_BASE_REF"
      - if: always()
        run: cat plan.md >> "$GITHUB_STEP_SUMMARY"
      # A pull request of a fork has no right to comment; its summary has the plan.
      - if: always() && github.event.pull_request.head.repo.full_name == github.repository
        env:
          GH_TOKEN: \${{ github.token }}
          NUMBER: \${{ github.event.pull_request.number }}
        run: |
          id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" --jq '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("${MARKER}"))) | .id' | tail -n 1)
          if [ -n "$id" ]; then gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F body=@plan.md
          else gh pr comment "$NUMBER" --repo "$GITHUB_REPOSITORY" --body-file plan.md; fi
`

const gitlab = (
  pinned: PinnedPackage,
): string => `# Checks the policies in each change, and describes it in the merge request. It needs no gateway.
image: node:24

variables:
${pinOf(pinned)}
  # The repository may belong to another user than the one that a job runs as, and git reads it only where it is named.
  GIT_CONFIG_COUNT: 1
  GIT_CONFIG_KEY_0: safe.directory
  GIT_CONFIG_VALUE_0: $CI_PROJECT_DIR
  npm_config_cache: $CI_PROJECT_DIR/.npm # that user may have no home

workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

${gitlabInstall(pinned)}

check:
  script:
    - .svcctl/bin/svcctl fmt --check
    - .svcctl/bin/svcctl validate --strict --allow-missing-env
    - .svcctl/bin/svcctl test
  after_script:
    - .svcctl/bin/svcctl validate --allow-missing-env --format sarif > policies.sarif
  artifacts:
    when: always
    paths: [policies.sarif]

plan:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - git fetch --quiet origin "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
    # Where the project has the variable SVCCTL_ADMIN, that gateway is asked whom the change touches: README.md says how.
    - |
      plan() { .svcctl/bin/svcctl plan --format markdown "$@" > plan.md; }
      if [ -z "\${SVCCTL_ADMIN:-}" ] || ! plan; then plan --against FETCH_HEAD; fi
    # COMMENT_TOKEN is a project access token with the scope api; without one the artifact has the plan.
    - |
      if [ -n "\${COMMENT_TOKEN:-}" ]; then
        notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
        id=$(curl -sSf --header "PRIVATE-TOKEN: $COMMENT_TOKEN" "$notes?per_page=100" | node -p 'JSON.parse(require("fs").readFileSync(0)).find(note => note.body.startsWith("${MARKER}"))?.id ?? ""')
        if [ -n "$id" ]; then method=PUT; else method=POST; fi
        curl -sSf -o /dev/null --request "$method" --header "PRIVATE-TOKEN: $COMMENT_TOKEN" --data-urlencode body@plan.md "$notes\${id:+/$id}"
      fi
  artifacts:
    when: always
    paths: [plan.md]
`

/** Each job installs a tarball. A job in the image itself passes on what it has, since the image has neither git nor curl. */
function gitlabInstall(pinned: PinnedPackage): string {
  if (pinned.kind !== 'image') return `default:\n  before_script:\n${indented(installLines(pinned), '    - ')}`
  return `svcctl:
  stage: .pre
  image: { name: $PACKAGE, entrypoint: [""] }
  script:
    - cp -R ${IN_IMAGE} .svcctl
    - ${LINK}
  artifacts:
    paths: [.svcctl/]
    expire_in: 1 hour`
}

const UPDATES: Readonly<Record<PinnedPackage['kind'], string>> = {
  file: 'Put the new package into `tools/`, and set `PACKAGE` to its path and `SHA256` to its hash in `SHA256SUMS` of the release.',
  url: 'Set `PACKAGE` to the address of the new package, and `SHA256` to its hash in `SHA256SUMS` of the release.',
  image: 'Set `PACKAGE` to the digest of the new image.',
}

const readme = (pinned: PinnedPackage): string => `# Policies of a gateway

Who may use which model, how fast and for how much, and which backends answer.

| file | what it says |
|---|---|
| \`config.yaml\` | one deployment: addresses, store, limits |
| \`policies/plans.yaml\` | who may use what |
| \`policies/models.yaml\` | the names clients use, and their prices |
| \`policies/pools.yaml\` | the places that answer |
| \`policies/tests/\` | what must stay true |
| \`schema/\` | what editors check and complete with |

## To change one

Once, and after each change of version, install the svcctl that the workflows run:

\`\`\`
${variablesOf(pinned)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n')}
${installLines(pinned).join(' &&\n')}
\`\`\`

Then, for each change:

\`\`\`
.svcctl/bin/svcctl validate                    # every mistake, at its line
.svcctl/bin/svcctl test                        # the policy's own tests
.svcctl/bin/svcctl plan --against origin/main  # what the change means
\`\`\`

A pull request runs the same, and has the plan as a comment. Once it is merged, \`svcctl apply\` with \`SVCCTL_ADMIN\`, or a profile, has the gateway take the files; its
\`plan\` before says also how many accounts and past requests the change touches.

## To take another version

${UPDATES[pinned.kind]} Both workflows, \`.github/workflows/policies.yml\` and \`.gitlab-ci.yml\`, name it at their top, and so does this file. A
pull request with the change shows whether the policies hold with the new version. ${
  pinned.kind === 'image'
    ? ''
    : `A package with another hash is not installed. The hash covers the package; npm fetches
its dependencies, whose versions it names. An image by its digest (\`svcctl init --repo --package NAME@sha256:DIGEST\`) fixes them too. `
}Do not replace it
by a name and a version: npm would run whatever a stranger published as that.

## To count whom a change touches in its pull request

The comment counts accounts where the workflow may ask a gateway: set the variable \`SVCCTL_ADMIN\` to an admin listener that the runner reaches. Whoever may push a branch here can
read the secrets of the workflow, so give it an operator who reads alone: a certificate of \`server.admin_tls.viewers\`, as the secrets \`SVCCTL_CERT\`, \`SVCCTL_KEY\` and, for the
listener's own, \`SVCCTL_CA\`, as PEM; on GitLab they are variables of type file. \`SVCCTL_TOKEN\` with the admin token works too, and may do everything. The change is then compared with
what that gateway serves; where it cannot be asked, with the branch. Past requests are in the decision log on the machine of the gateway: \`svcctl plan\` there, or with \`--decisions\`
and a copy of it, counts them too.

Keys of backends come from the environment or from files, never from the YAML: \`\${NAME}\` or \`file:/run/secrets/name\`.
`
