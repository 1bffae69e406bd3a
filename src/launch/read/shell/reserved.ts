/** Words of a shell that are no program's, by what a reader does with them. */

/** Words whose commands are no programs: what they test or go over is read apart. */
export const skipped = new Set(['if', 'elif', 'while', 'until', 'for', 'case', 'select', '[', '[[', 'test'])
/** Words behind which a command begins. */
export const dropped = new Set('then else fi do done esac { } ! exec time nohup sudo'.split(' '))
/** Words behind which a test stands. */
export const testing = new Set(['if', 'elif'])
/** Words behind which a group may stand as a condition, or as the first part of one. */
export const asking = new Set([...testing, 'while', 'until', '!'])
/** Words that begin what may be decided. */
export const deciding = new Set([...testing, 'case'])
/** Words behind which assignments stand. */
export const declaring = new Set(['export', 'local', 'declare', 'readonly', 'typeset'])
/** Those of them whose variables are the own ones of a function, unless it says -g. */
export const localising = new Set(['local', 'declare', 'typeset'])
