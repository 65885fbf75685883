import { Text } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Question } from '../../ui/question.tsx';
import { TokenField } from './token-field.tsx';
import { apiTokenTyped } from './token-page.ts';
import { isKeptError, type TaskParams } from './use-cloudflare.ts';
import { dialogWords, tokenWords } from './words.ts';

interface Props {
  readonly title: string;
  /** The label of the button that starts the task. */
  readonly action: string;
  /** The button's color. */
  readonly color: string;
  /** True if no token is kept, or if the kept one can't be used. */
  readonly needsToken: boolean;
  /** Why the task failed before. If it would delete what the mailbox keeps, the dialog asks for that. */
  readonly failure?: Error | null | undefined;
  readonly onConfirm: (params: TaskParams) => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Asks before a task at Cloudflare, and for a token if the task needs one. The task itself continues elsewhere. */
export function TaskDialog(props: Props): ReactElement {
  const { needsToken, children, failure, onConfirm, onClose, ...question } = props;
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const kept = isKeptError(failure) ? failure?.message : undefined;
  const submit = () => {
    const apiToken = apiTokenTyped(token);
    if (needsToken && apiToken === undefined) {
      setProblem(token.trim() === '' ? tokenWords.empty : tokenWords.notAToken);
      return;
    }
    onClose();
    onConfirm({
      ...(needsToken && apiToken !== undefined && { apiToken }),
      ...(kept !== undefined && { discardKept: true }),
    });
  };
  return (
    <Question
      {...question}
      {...(kept !== undefined && { ...dialogWords.discard, color: 'red.8' })}
      hasField={needsToken}
      onConfirm={submit}
      onClose={onClose}
    >
      {kept !== undefined && (
        <>
          <Text className={shared.wrap}>
            <Foreign text={kept} />
          </Text>
          <Text fw={600}>{dialogWords.discards}</Text>
        </>
      )}
      {children}
      {needsToken && (
        <TokenField
          autoFocus
          value={token}
          about={dialogWords.tokenNeeded}
          problem={problem}
          onChange={setToken}
        />
      )}
    </Question>
  );
}
