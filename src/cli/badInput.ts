/** A value on the command line, or in a file that it names, that a command cannot take: one line, exit status 2. */
export class BadInput extends Error {}
