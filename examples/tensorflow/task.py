# One replica of a training with TensorFlow's strategy for several workers,
# which finds the others by TF_CONFIG. Alone, without TF_CONFIG, it trains too.
# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import json
import os

import hypertune
import tensorflow as tf

import model

TRAIN, VALID = 2048, 512  # pictures


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.5)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64,
                        help="pictures a step, of all replicas together")
    return parser.parse_args()


class Training:
    """The steps of one replica; the strategy adds up what all of them find."""

    def __init__(self, args, strategy):
        self.strategy, self.batch = strategy, args.batch
        with strategy.scope():
            self.network = model.network(args.units)
            self.optimizer = tf.keras.optimizers.SGD(args.learning_rate,
                                                     args.momentum)
            self.optimizer.build(self.network.trainable_variables)

    def step(self, images, classes):
        with tf.GradientTape() as tape:
            scores = self.network(images, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                classes, scores)
            loss = tf.reduce_sum(losses) / self.batch
        variables = self.network.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables))

    def right(self, images, classes):
        scores = self.network(images, training=False)
        best = tf.argmax(scores, axis=1)
        return tf.reduce_sum(tf.cast(best == classes, tf.float32))

    @tf.function
    def train(self, batch):
        self.strategy.run(self.step, args=batch)

    @tf.function
    def count_right(self, batch):
        return self.strategy.reduce(
            "SUM", self.strategy.run(self.right, args=batch), axis=None)

    def share(self, n, seed):
        return self.strategy.experimental_distribute_dataset(
            model.batches(n, seed, self.batch))

    def epoch(self, train, valid):
        """Trains once on all of `train`; returns the accuracy on `valid`."""
        for batch in train:
            self.train(batch)
        right = sum(float(self.count_right(batch)) for batch in valid)
        return right / (VALID // self.batch * self.batch)


def main():
    args = arguments()
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    chief = config.get("task", {}).get("type", "chief") in ("chief", "master")
    if sum(map(len, config.get("cluster", {}).values())) > 1:
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
    else:
        strategy = tf.distribute.get_strategy()
    training = Training(args, strategy)
    train, valid = training.share(TRAIN, 1), training.share(VALID, 2)
    reporter = hypertune.HyperTune()
    for epoch in range(1, args.epochs + 1):
        accuracy = training.epoch(train, valid)
        if chief:
            print(f"epoch {epoch} accuracy {accuracy:.4f}", flush=True)
            reporter.report_hyperparameter_tuning_metric(
                hyperparameter_metric_tag="accuracy", metric_value=accuracy,
                global_step=epoch)


main()
