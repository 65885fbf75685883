import { UnstyledButton } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import styles from './reach.module.css';
import { reachWords, wayWords, type Way } from './words.ts';

interface Props {
  readonly ways: readonly Way[];
  /** True where the form shows nothing to fill in, so that the owner is here to choose a way. */
  readonly isOpenAtFirst: boolean;
  readonly onChoose: (way: Way) => void;
}

/** The ways that the form doesn't show, usually folded. A click on one puts it in the place of the one that is shown. */
export function OtherWays({ ways, isOpenAtFirst, onChoose }: Props): ReactElement {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className={styles.others}>{reachWords.others}</summary>
      <ul className={styles.ways}>
        {ways.map((way) => (
          <li key={way}>
            <UnstyledButton
              className={styles.way}
              onClick={() => {
                setIsOpen(false);
                onChoose(way);
              }}
            >
              <b>{wayWords[way].label}</b> <span className={styles.about}>{wayWords[way].about}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </details>
  );
}
