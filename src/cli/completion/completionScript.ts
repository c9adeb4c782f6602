/** What a completion offers of one subcommand. */
export interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly CompletedOption[]
}

/** One option, with its dashes. */
export interface CompletedOption {
  readonly flag: string
  readonly description: string
  readonly takesValue: boolean
}

/** The shells there is a completion for. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** The script that completes a program's subcommands and their options; anything else is completed as a file. */
export const completionScript: Readonly<
  Record<Shell, (program: string, commands: readonly CompletedCommand[]) => string>
> = { bash, zsh, fish }

function bash(program: string, commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options }) => {
    const valued = options.filter((option) => option.takesValue)
    return `    ${name}) words='${flags(options)}' valued=' ${flags(valued)} ' ;;`
  })
  return `# bash completion of ${program}: source it, or write it where bash-completion looks.
_${word(program)}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words='' valued=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names(commands)} --help --version' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $valued in
    *" $before "*) return ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o bashdefault -o default -F _${word(program)} ${program}
`
}

function zsh(program: string, commands: readonly CompletedCommand[]): string {
  const described = commands.map(
    ({ name, description }) => `    ${quoted(`${name}:${description.replaceAll(':', '\\:')}`)}`,
  )
  const cases = commands.map(({ name, options }) => {
    const words = options.map(({ flag, description, takesValue }) =>
      quoted(`${flag}[${description.replace(/[[\]\\:]/g, '\\$&')}]${takesValue ? ':value:_files' : ''}`),
    )
    return `    ${name}) _arguments ${words.join(' ')} '*:file:_files' ;;`
  })
  return `#compdef ${program}
# zsh completion of ${program}: source it after compinit, or write it as _${program} into a folder of fpath.
_${word(program)}() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local asked=$words[2]
  shift words
  (( CURRENT-- ))
  case $asked in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _${program} ]; then
  _${word(program)} "$@"
else
  compdef _${word(program)} ${program}
fi
`
}

function fish(program: string, commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, description, options }) => [
    `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d ${quoted(description, 'fish')}`,
    ...options.map(
      ({ flag, description: what, takesValue }) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(what, 'fish')}`,
    ),
  ])
  return `# fish completion of ${program}: source it, or write it as ${program}.fish into ~/.config/fish/completions.
${lines.join('\n')}
`
}

const names = (commands: readonly CompletedCommand[]): string => commands.map(({ name }) => name).join(' ')
const flags = (options: readonly CompletedOption[]): string => options.map(({ flag }) => flag).join(' ')

/** A name that a shell takes for a function. */
const word = (name: string): string => name.replaceAll('-', '_')

/** A text as one word of a shell: a quote inside ends the quotes, stands escaped, and opens them again. */
function quoted(text: string, shell: 'zsh' | 'fish' = 'zsh'): string {
  if (shell === 'fish') return `'${text.replace(/['\\]/g, '\\$&')}'`
  return `'${text.replaceAll("'", "'\\''")}'`
}
