import { useState, type ReactElement } from 'react';
import type { Outcome, SignIn } from '../../../src-main/contract/sign-ins.ts';
import { useAnswer } from '../../client/queries.ts';
import { useRoute } from '../../routes.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { AnsweredCard } from './answered-card.tsx';
import { History } from './history.tsx';
import { SignInCard } from './sign-in-card.tsx';

interface Answered {
  readonly signIn: SignIn;
  readonly outcome: Outcome;
}

/** The sign-ins that wait, and those before. */
export function SignIns(): ReactElement {
  const { id } = useRoute();
  const pending = useAnswer('signIns.list', {});
  // An answered card stays in its place, so that the next one does not jump under the pointer.
  const [answered, setAnswered] = useState<readonly Answered[]>([]);

  return (
    <Page title="Sign-ins" about="Apps that ask to sign you in. Only you, at this computer, can let them.">
      <Loaded query={pending} what="the sign-ins that wait">
        {(waiting) => {
          const cards = inOrder(waiting, answered);
          const gone = id !== null && !cards.some(({ signIn }) => signIn.id === id);
          if (cards.length === 0) {
            return (
              <Empty>
                {gone && <>The sign-in that you came for does not wait any more. </>}
                No sign-in waits. Start one: go to an app or site that offers “sign in with your domain” and
                enter yours. It then waits here for your answer, ten minutes long.
              </Empty>
            );
          }
          return cards.map(({ signIn, outcome }) =>
            outcome ? (
              <AnsweredCard key={signIn.id} signIn={signIn} outcome={outcome} />
            ) : (
              <SignInCard
                key={signIn.id}
                signIn={signIn}
                asked={signIn.id === id}
                onAnswer={(settled) => setAnswered((before) => [...before, { signIn, outcome: settled }])}
              />
            ),
          );
        }}
      </Loaded>
      <History />
    </Page>
  );
}

/** Waiting and just answered ones, oldest first. */
function inOrder(waiting: readonly SignIn[], answered: readonly Answered[]) {
  const done = new Set(answered.map(({ signIn }) => signIn.id));
  const open = waiting.filter(({ id }) => !done.has(id)).map((signIn) => ({ signIn, outcome: null }));
  return [...open, ...answered].sort((a, b) => a.signIn.requestedAt.localeCompare(b.signIn.requestedAt));
}
