import type { ReactElement } from 'react';
import type { Decision, MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { deedOf, pageName, personOf } from './naming.ts';
import { showNote } from './undo-note.tsx';
import { moderationWords } from './words.ts';

/** As many mentions as one call takes. */
const atOnce = 200;

/** What the owner does with mentions. Each step reports what it did and offers to undo it. */
export interface Moderation {
  /** Leaves out mentions for which the decision is not open. */
  readonly decide: (mentions: readonly MentionRecord[], decision: Exclude<Decision, 'held'>) => void;
}

/** Returns the decisions on mentions. Calls `onChanged` with the new state of each mention that changed. */
export function useModeration(onChanged: (mention: MentionRecord) => void): Moderation {
  const { mutateAsync: decideSome } = useAction('webmentions.decide');
  const { mutateAsync: undoSome } = useAction('webmentions.undo');

  async function decideAll(mentions: readonly MentionRecord[], decision: Decision): Promise<void> {
    const undos: string[] = [];
    let [changed, refused, failure] = [0, 0, ''];
    try {
      for (let start = 0; start < mentions.length; start += atOnce) {
        const ids = mentions.slice(start, start + atOnce).map(({ id }) => id);
        const done = await decideSome({ ids, decision });
        done.changed.forEach(onChanged);
        changed += done.changed.length;
        refused += done.refused;
        if (done.undo !== null) undos.push(done.undo);
      }
    } catch (error) {
      failure = moderationWords.failed(decision, reasonOf(error));
    }
    const message = (
      <>
        {(failure === '' || changed > 0) && (
          <Done mentions={mentions} decision={decision} changed={changed} />
        )}
        {refused > 0 && ` ${moderationWords.refused(refused)}`} {failure}
      </>
    );
    showNote(message, undos.length === 0 ? undefined : () => void takeBack(undos, changed));
  }

  async function takeBack(undos: readonly string[], count: number): Promise<void> {
    try {
      let back = 0;
      for (const id of undos) {
        const { changed } = await undoSome({ id });
        changed.forEach(onChanged);
        back += changed.length;
      }
      const left = count - back;
      showNote(left > 0 ? moderationWords.undoneSome(left) : moderationWords.undone);
    } catch (error) {
      showNote(moderationWords.undoFailed(reasonOf(error)));
    }
  }

  return {
    decide(mentions, decision) {
      const open = mentions.filter((mention) => canBe(mention, decision));
      if (open.length > 0) void decideAll(open, decision);
    },
  };
}

/**
 * Returns whether the owner may decide this. A mention that a block hides can't be shown. A mention that its source withdrew can only be deleted; one that an
 * aggregator no longer lists can be shown again.
 */
export function canBe({ status, removedBy, blocked }: MentionRecord, next: Decision): boolean {
  switch (next) {
    case 'deleted':
      return status !== 'deleted';
    case 'restored':
      return status === 'deleted';
    case 'approved':
      if (blocked === true) return false;
      return (
        removedBy === 'aggregator' || (status !== 'approved' && status !== 'deleted' && status !== 'removed')
      );
    default:
      return status !== next && status !== 'deleted' && status !== 'removed';
  }
}

interface DoneProps {
  readonly mentions: readonly MentionRecord[];
  readonly decision: Decision;
  readonly changed: number;
}

/** What was done: names the mention where it was one. */
function Done({ mentions, decision, changed }: DoneProps): ReactElement {
  const [mention] = mentions;
  if (!mention || mentions.length > 1 || changed === 0)
    return (
      <>{changed === 0 ? moderationWords.nothingChanged : moderationWords.doneMany(decision, changed)}</>
    );
  return (
    <>
      {moderationWords.done(decision)}
      <Foreign text={shortened(personOf(mention))} /> {deedOf(mention)}{' '}
      <Foreign text={shortened(pageName(mention.target, mention.targetTitle))} />
    </>
  );
}

/** Cuts a long name, so that the rest of the sentence stays in sight. */
function shortened(text: string): string {
  const letters = Array.from(text);
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : text;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : moderationWords.unknown;
}
