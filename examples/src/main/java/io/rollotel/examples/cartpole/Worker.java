package io.rollotel.examples.cartpole;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** The methods of a worker that the driver calls over RMI. */
interface Worker extends Remote {

  DataProto modelUpdate(DataProto parameters) throws RemoteException;

  DataProto generate(DataProto request) throws RemoteException;

  DataProto computeRewards(DataProto trajectories) throws RemoteException;

  DataProto trainStep(DataProto trajectories) throws RemoteException;

  DataProto validate(DataProto request) throws RemoteException;

  /** Ends the worker's process once this call has been answered. */
  void close() throws RemoteException;
}
