#!/bin/sh
# On host a of hosts.py: a Slurm whose nodes are b and c, for the command that is given.
set -e
mount -t tmpfs none /sys/fs/cgroup
mkdir -p /run/munge /run/slurm /run/slurmctld
head -c 64 /dev/urandom >/run/munge/key
chmod 600 /run/munge/key
munged --key-file=/run/munge/key --socket=/run/munge/socket --pid-file=/run/munge/pid --log-file=/run/munge/log \
  --seed-file=/run/munge/seed --force 2>/dev/null
cat >/run/slurm/slurm.conf <<END
ClusterName=test
SlurmctldHost=a(10.77.0.1)
AuthType=auth/munge
AuthInfo=socket=/run/munge/socket
StateSaveLocation=/run/slurmctld
SlurmdSpoolDir=/run/slurmd-%n
SlurmdPidFile=/run/slurmd-%n.pid
SlurmctldPidFile=/run/slurmctld.pid
SlurmctldLogFile=/run/slurmctld.log
SlurmdLogFile=/run/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=root
ReturnToService=2
NodeName=b NodeAddr=10.77.0.2 CPUs=2 State=UNKNOWN
NodeName=c NodeAddr=10.77.0.3 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=b,c Default=YES State=UP
END
echo CgroupPlugin=cgroup/v1 >/run/slurm/cgroup.conf
export SLURM_CONF=/run/slurm/slurm.conf
slurmctld
for host in b c; do
  # A /tmp of its own, in which PMIx's servers keep files of one name; and the network that UCX finds in /sys.
  ip netns exec $host unshare -u -m sh -c "hostname $host; mount -t sysfs none /sys; mount -t tmpfs none /sys/fs/cgroup
    mount -t tmpfs none /tmp; slurmd -N $host"
done
for try in $(seq 100); do
  [ "$(sinfo -h -t idle -o %D)" = 2 ] && exec "$@"
  sleep 0.1
done
sinfo
exit 1
